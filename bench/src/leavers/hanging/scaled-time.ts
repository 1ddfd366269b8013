import { setTimeout } from 'node:timers/promises';
import type { Clock } from '@headgate/core';

/** Time runs this many times as fast; `measureCells` may set another speed for its processes. */
export const SPEED = Number(process.env.SPEED ?? 10);

/** The clock of the limits. */
export const clock: Clock = {
  now: () => SPEED * performance.now(),
  setTimeout: (callback, delay) => globalThis.setTimeout(callback, delay / SPEED),
  clearTimeout: (timer) => clearTimeout(timer as NodeJS.Timeout),
};

/** Resolves after this many milliseconds of that clock. */
export function delay(ms: number): Promise<void> {
  return setTimeout(ms / SPEED);
}
