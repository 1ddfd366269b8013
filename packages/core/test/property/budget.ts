import fc from 'fast-check';
import { expect } from 'vitest';
import { uncaughtIn } from '../uncaught.ts';
import { Thrown } from './scene.ts';

/** `npm run test:soak` lets the properties go on for that long, with fresh seeds. */
const soakSeconds = Number(process.env.HEADGATE_SOAK_SECONDS ?? 0);

/** Mutation tests run each property this often at most. */
const maxRuns = Number(process.env.HEADGATE_PROPERTY_RUNS ?? Number.POSITIVE_INFINITY);

/** How long vitest lets a property run, in milliseconds. */
export const patience = soakSeconds > 0 ? 0 : 120_000;

/**
 * Asserts a property, in turns that let the event loop breathe. Nothing may surface but what callbacks have thrown.
 *
 * @param most How many runs a turn has, unless mutation tests allow fewer; there is one turn, or in a soak as many as
 * there is time for.
 * @param share The part of a soak's time that is this property's, where a file has several.
 * @returns the number of runs.
 */
export async function assertFor<T>(
  property: fc.IProperty<T> | fc.IAsyncProperty<T>,
  most: number,
  share = 1,
): Promise<number> {
  const numRuns = Math.min(most, maxRuns);
  let runs = 0;
  const end = performance.now() + soakSeconds * 1000 * share;
  do {
    const errors = await uncaughtIn(() => fc.assert(property as fc.IAsyncProperty<T>, { numRuns }));
    expect(errors.filter((error) => !(error instanceof Thrown))).toEqual([]);
    runs += numRuns;
  } while (performance.now() < end);
  return runs;
}
