import type { HttpHandle } from '@headgate/core/http';
import { counts, Latch } from '@headgate/test-suite';
import { expect } from 'vitest';

/**
 * Sends two requests to an app with a limit of 1 and a timeout. The timeout answers both, while the handler of the
 * first one continues: its permit must be held until then, and the second one must leave the queue without a handler.
 *
 * @param start Starts the app, with this work in its handler, and returns a function that sends a request.
 */
export async function expectHeldAfterTimeout(
  limit: HttpHandle,
  start: (work: () => Promise<void>) => Promise<() => Promise<{ readonly status: number }>>,
): Promise<void> {
  const latch = new Latch();
  let started = 0;
  const send = await start(() => {
    started++;
    return latch.opened;
  });
  for (let count = 0; count < 2; count++) expect((await send()).status).toBeOneOf([408, 503, 504]);
  await counts(limit, 1);
  expect([started, limit.stats().withdrawn]).toEqual([1, 1]);
  latch.open();
  await counts(limit, 0);
  expect(started).toBe(1);
}
