import { setTimeout as delay } from 'node:timers/promises';
import { WatchedRequest } from './watched-request.ts';

/** The members of a limiter that are used here. Its limit is 1, and it has a queue. */
interface Limiter {
  acquire(): Promise<{ release(): void }>;
}

/**
 * Makes a first request use a limit. Other requests wait for its permit, hold it afterwards, and are still queued.
 * Resolves to what then remains in memory of the first request.
 *
 * @param time Milliseconds for which the others hold the permit and wait, such as the duration of a lease.
 */
export async function remainsOfFirst(limiter: Limiter, time: number): Promise<string[]> {
  const request = new WatchedRequest();
  const others: Promise<{ release(): void }>[] = [];
  const { acquired, acquire } = announced();
  const first = request.run(async () => {
    const permit = await limiter.acquire();
    acquire();
    await delay(time);
    permit.release();
  });
  await acquired;
  for (let other = 0; other < 3; other++) others.push(limiter.acquire());
  await first;
  await others[0];
  await delay(time);
  const remains = await request.remains();
  for (const other of others) (await other).release();
  return remains;
}

/** A promise, and the function that resolves it. */
function announced(): { acquired: Promise<void>; acquire: () => void } {
  let acquire = () => {};
  const acquired = new Promise<void>((resolve) => {
    acquire = resolve;
  });
  return { acquired, acquire: () => acquire() };
}
