import { describe, expect, test } from 'vitest';
import type { StoreUnderTest } from './environment.ts';
import { limitsOf } from './operated-limit.ts';
import type { Report } from './report.ts';
import { runRounds } from './run-rounds.ts';

const seed = Number(process.env.HEADGATE_CHAOS_SEED ?? Math.floor(Math.random() * 1e6));

/** Runs one round in each of these environments. `durations` are those of the faults, in milliseconds. */
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
          limits: limitsOf(storeUnderTest),
          calm: 1_000,
          // A round takes several leases.
          schedule: () => ({
            duration,
            meanInterval: 350,
            pause: 40,
            startsWithOne: duration >= 3_000,
          }),
          more: (done) => done < 1,
          onReport: (report) => reports.push(report),
        });
        const [report] = reports as [Report];
        expect(report.broken, report.text).toEqual([]);
        for (const [name, checked] of Object.entries(report.checked)) {
          // An invariant that could not have been violated was not tested.
          expect(checked, name).toBeGreaterThan(0);
        }
      },
      60_000,
    );
  });
}
