import fc from 'fast-check';
import { expect } from 'vitest';
import { uncaughtIn } from '../uncaught.ts';
import { Thrown } from './scene.ts';

/** `npm run test:soak` lets the properties go on for that long, with fresh seeds. */
const soakSeconds = Number(process.env.HEADGATE_SOAK_SECONDS ?? 0);

/** How long vitest lets a property run, in milliseconds. */
export const patience = soakSeconds > 0 ? 0 : 120_000;

/**
 * Asserts a property, in turns that let the event loop breathe. Nothing may surface but what callbacks have thrown.
 *
 * @param runs How many runs a turn has; there is one turn, or in a soak as many as there is time for.
 * @param share The part of a soak's time that is this property's, where a file has several.
 */
export async function assertFor<T>(
  property: fc.IProperty<T> | fc.IAsyncProperty<T>,
  runs: number,
  share = 1,
): Promise<void> {
  const end = performance.now() + soakSeconds * 1000 * share;
  do {
    const errors = await uncaughtIn(() =>
      fc.assert(property as fc.IAsyncProperty<T>, { numRuns: runs }),
    );
    expect(errors.filter((error) => !(error instanceof Thrown))).toEqual([]);
  } while (performance.now() < end);
}
