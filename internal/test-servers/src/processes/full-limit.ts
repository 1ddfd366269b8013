import { expect, vi } from 'vitest';
import type { RemoteLimiter } from './remote-limiter.ts';

/**
 * Checks that the whole limit can be acquired, and not more.
 *
 * @param time Milliseconds after which every permit must be available.
 */
export async function expectFullLimitAvailable(
  one: RemoteLimiter,
  limit: number,
  time: number,
): Promise<void> {
  const look = async () => expect(await one.do('stored')).toMatchObject({ inflight: 0, queued: 0 });
  await vi.waitFor(look, time);
  const all = await Promise.all(Array.from({ length: limit }, () => one.acquire()));
  // Longer than the store needs for an answer on a busy machine.
  await expect(one.acquire({ queueTimeout: 1_000 })).rejects.toMatchObject({ reason: 'timeout' });
  for (const held of all) await held.release();
}
