import { type Lock, lockClient, serverStore } from '@headgate/server-client';
import type { Store } from '@headgate/store-kit';

export const store: Store = serverStore({ url: 'http://localhost:8000', leaseDuration: 5_000 });

export async function locked(work: (lock: Lock) => Promise<void>): Promise<void> {
  await using client = lockClient({ url: 'unix:/run/headgate.sock', token: 'secret' });
  await using lock = await client.lock('renders', { count: 2, timeout: 5_000 });
  await work(lock);
}
