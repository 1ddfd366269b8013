import { type Lock, lockClient, serverStore } from '@headgate/server-client';
import type { Store } from '@headgate/store-kit';
import { expectTypeOf } from 'vitest';

const url = 'http://localhost:8000';

expectTypeOf(serverStore({ url })).toExtend<Store>();
expectTypeOf(serverStore).toBeCallableWith({ url, token: undefined, lease: 5_000, timeout: 100 });
expectTypeOf(lockClient({ url }).lock('A')).resolves.toEqualTypeOf<Lock>();
expectTypeOf<Lock>().toExtend<AsyncDisposable>();

serverStore({ url, handoff: 8, reserve: 2 });
// @ts-expect-error: there is no such option
lockClient({ url, timeout: 5 });
// @ts-expect-error: the url is required
serverStore({});
// @ts-expect-error: a lock has no key
lockClient({ url }).lock('A', { key: 'a' });
