import { expect, vi } from 'vitest';

/** Long enough for a busy machine, and shorter than a test may take, so that what failed is said. */
const patience = { interval: 1, timeout: 10_000 };

/** Waits until the condition holds. */
export async function until(condition: () => boolean): Promise<void> {
  await vi.waitFor(() => expect(condition(), `until ${condition}`).toBe(true), patience);
}

/** Waits until so much is in flight and so many wait. */
export async function counts(
  limit: { readonly inflight: number; readonly queued: number },
  inflight: number,
  queued = 0,
): Promise<void> {
  const look = () => ({ inflight: limit.inflight, queued: limit.queued });
  await vi.waitFor(() => expect(look()).toEqual({ inflight, queued }), patience);
}

/** Lets what is already due in this process happen: microtasks, timers of 0 ms, and a round of input. */
export async function aRound(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setTimeout(resolve));
}
