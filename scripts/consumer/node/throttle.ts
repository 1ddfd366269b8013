import type { Store } from '@headgate/core/distributed';
import { type Lock, throttleClient, throttleStore } from '@headgate/throttle';

export const store: Store = throttleStore({ url: 'http://localhost:8000', leaseDuration: 5_000 });

export async function locked(work: (lock: Lock) => Promise<void>): Promise<void> {
  await using client = throttleClient({ url: 'unix:/run/headgate.sock', token: 'secret' });
  await using lock = await client.lock('renders', { count: 2, timeout: 5_000 });
  await work(lock);
}
