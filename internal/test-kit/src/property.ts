import fc from 'fast-check';
import { expect } from 'vitest';
import { uncaughtIn } from './uncaught.ts';

/** Duration of each property file in `npm run fuzz -- properties`, with fresh seeds. */
const soakSeconds = Number(process.env.HEADGATE_SOAK_SECONDS ?? 0);

/** Maximum number of runs of a property, which mutation tests lower. */
const maxRuns = Number(process.env.HEADGATE_PROPERTY_RUNS ?? Number.POSITIVE_INFINITY);

/** Timeout of a property in vitest, in milliseconds. */
export const patience = soakSeconds > 0 ? 0 : 120_000;

/**
 * Milliseconds after which a batch ends. A long search for a smaller counterexample would block the thread until vitest
 * terminates the worker, and nothing would be reported.
 */
const BATCH_MS = 30_000;

/** An error that a property's callbacks throw on purpose. */
export class Thrown extends Error {}

/**
 * Asserts a property, in batches between which the event loop runs. Only a `Thrown` may surface as an uncaught
 * exception.
 *
 * @param batchSize Number of runs per batch, unless mutation tests allow fewer. There is one batch; in a soak test, as
 * many as fit in the time.
 * @param share Fraction of a soak test's time for this property, if the file has several properties.
 * @returns the number of runs. It is lower than the batch sizes if a batch ran out of time, as on a busy machine.
 */
export async function assertFor<T>(
  property: fc.IProperty<T> | fc.IAsyncProperty<T>,
  batchSize: number,
  share = 1,
): Promise<number> {
  const numRuns = Math.min(batchSize, maxRuns);
  let runs = 0;
  const end = performance.now() + soakSeconds * 1000 * share;
  const settings = { numRuns, interruptAfterTimeLimit: BATCH_MS };
  do {
    const errors = await uncaughtIn(async () => {
      const details = await fc.check(property as fc.IAsyncProperty<T>, settings);
      if (details.failed) {
        const message = await fc.asyncDefaultReportMessage(details);
        throw new Error(message, { cause: details.errorInstance });
      }
      runs += details.numRuns;
    });
    expect(errors.filter((error) => !(error instanceof Thrown))).toEqual([]);
  } while (performance.now() < end);
  return runs;
}
