import { expect, vi } from 'vitest';

/** Long enough for a busy machine. Shorter than a test's timeout, so that the failed assertion is reported. */
const WAIT_OPTIONS = { interval: 1, timeout: 10_000 };

/** Waits until the condition holds. `description` says what is wrong if it does not. */
export async function until(
  condition: () => boolean,
  description = `until ${condition}`,
): Promise<void> {
  await vi.waitFor(() => expect(condition(), description).toBe(true), WAIT_OPTIONS);
}

/** Waits until the limit has these counts. */
export async function counts(
  limit: { readonly holders: number; readonly queued: number },
  holders: number,
  queued = 0,
): Promise<void> {
  const look = () => ({ holders: limit.holders, queued: limit.queued });
  await vi.waitFor(() => expect(look()).toEqual({ holders, queued }), WAIT_OPTIONS);
}

/**
 * Waits until everything has run that is already due in this process: microtasks, timers of 0 ms, and one round of I/O.
 */
export async function aRound(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setTimeout(resolve));
}
