import { describe, expect, test } from 'vitest';
import type { Subject } from './ground.ts';
import type { Report } from './report.ts';
import { play } from './scene.ts';

const seed = Number(process.env.HEADGATE_CHAOS_SEED ?? Math.floor(Math.random() * 1e6));

/** Runs one round in each of these environments. `storms` has the duration of the faults in milliseconds. */
export function chaosSuite(subject: Subject, storms: Readonly<Record<string, number>>): void {
  describe(`eight processes and a store under random faults (HEADGATE_CHAOS_SEED=${seed})`, () => {
    test.each(Object.entries(storms))(
      'every invariant holds: %s',
      async (ground, lasts) => {
        const reports: Report[] = [];
        await play({
          ...{ subject, ground, seed },
          limits: [1, 3],
          calm: 1_000,
          // A round takes several leases.
          weather: () => ({ lasts, pace: 350, pause: 40, gust: lasts >= 3_000 }),
          more: (done) => done < 1,
          tell: (report) => reports.push(report),
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
