import type { Limiter } from '@headgate/core';
import { expect, vi } from 'vitest';

export interface Listener {
  readonly limiter: Limiter;
  /** `store` events of an available store. */
  readonly events: readonly { readonly up: boolean; readonly error: Error | undefined }[];
}

/**
 * Lets the connection on which `two` receives its grants die silently, and expects that it is replaced. Both processes
 * share a limit of 1, and no permit is held.
 */
export async function expectConnectionReplaced(one: Listener, two: Listener, die: () => unknown) {
  const held = await one.limiter.acquire();
  const waiting = two.limiter.acquire();
  await vi.waitFor(() => expect(two.limiter.queued).toBe(1), { interval: 2 });
  await die();
  await vi.waitFor(() => expect(two.events).toHaveLength(2), 5_000);
  expect(two.events).toMatchObject([
    { up: true, error: { code: 'ERR_HEADGATE_STORE_TIMEOUT' } },
    { up: true, error: undefined },
  ]);
  const released = performance.now();
  held.release();
  (await waiting).release();
  // Without messages, the waiter would be granted a permit only with its next renewal, after 3.3 s.
  expect(performance.now() - released).toBeLessThan(1_000);
}
