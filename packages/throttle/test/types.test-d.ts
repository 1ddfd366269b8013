import type { Store } from '@headgate/core/distributed';
import { type Lock, throttleClient, throttleStore } from '@headgate/throttle';
import { expectTypeOf } from 'vitest';

const url = 'http://localhost:8000';

expectTypeOf(throttleStore({ url })).toExtend<Store>();
expectTypeOf(throttleStore).toBeCallableWith({ url, token: undefined, lease: 5_000, timeout: 100 });
expectTypeOf(throttleClient({ url }).lock('A')).resolves.toEqualTypeOf<Lock>();
expectTypeOf<Lock>().toExtend<AsyncDisposable>();

throttleStore({ url, handoff: 8 });
// @ts-expect-error: the service recalls no permits
throttleStore({ url, reserve: 2 });
// @ts-expect-error: there is no such option
throttleClient({ url, timeout: 5 });
// @ts-expect-error: the url is required
throttleStore({});
// @ts-expect-error: a lock has no key
throttleClient({ url }).lock('A', { key: 'a' });
