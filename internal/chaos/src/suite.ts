import { describe, expect, test } from 'vitest';
import type { StoreUnderTest } from './environment.ts';
import { limits } from './operated-limit.ts';
import type { Report } from './report.ts';
import { runRounds } from './run-rounds.ts';

const seed = Number(process.env.HEADGATE_CHAOS_SEED ?? Math.floor(Math.random() * 1e6));

/**
 * Maximum number of rounds in which an invariant may remain unchecked: in a short round, there may be no waiter that
 * could have been overtaken.
 */
const MAX_ROUNDS = 3;

/**
 * Runs a round in each of these environments, and further rounds until each invariant was checked. `durations` are the
 * durations of the faults, in milliseconds.
 */
export function chaosSuite(
  storeUnderTest: StoreUnderTest,
  durations: Readonly<Record<string, number>>,
): void {
  describe(`eight processes and a store under random faults (HEADGATE_CHAOS_SEED=${seed})`, () => {
    test.each(Object.entries(durations))(
      'every invariant holds: %s',
      async (environment, duration) => {
        const reports: Report[] = [];
        await runRounds({
          storeUnderTest,
          environment,
          seed,
          limits,
          calm: 1_000,
          // A round takes several leases.
          schedule: () => ({
            duration,
            meanInterval: 350,
            pause: 40,
            startsWithOne: duration >= 3_000,
          }),
          more: (done) => done === 0 || (done < MAX_ROUNDS && unchecked(reports).length > 0),
          onReport: (report) => reports.push(report),
        });
        for (const { broken, text } of reports) expect(broken, text).toEqual([]);
        // An invariant that could not have been violated was not tested.
        expect(unchecked(reports)).toEqual([]);
      },
      60_000,
    );
  });
}

function unchecked(reports: readonly Report[]): string[] {
  const names = reports.flatMap(({ checked }) => Object.keys(checked));
  return [...new Set(names)].filter((name) => reports.every(({ checked }) => !checked[name]));
}
