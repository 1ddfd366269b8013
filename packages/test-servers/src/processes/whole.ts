import { expect, vi } from 'vitest';
import type { Limited } from './limited.ts';

/**
 * All of a limit can be acquired, and no more than that.
 *
 * @param time Milliseconds after which every permit must be back.
 */
export async function expectWhole(one: Limited, limit: number, time: number): Promise<void> {
  const look = async () => expect(await one.do('stored')).toMatchObject({ inflight: 0, queued: 0 });
  await vi.waitFor(look, time);
  const all = await Promise.all(Array.from({ length: limit }, () => one.acquire()));
  // The store must have answered before the timeout, also on a busy machine.
  await expect(one.acquire({ queueTimeout: 1_000 })).rejects.toMatchObject({ reason: 'timeout' });
  for (const held of all) await held.release();
}
