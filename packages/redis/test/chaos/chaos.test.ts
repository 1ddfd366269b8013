import { describe, expect, test } from 'vitest';
import { invariants } from './invariants/all.ts';
import type { Report } from './report.ts';
import { grounds, play } from './scene.ts';

const seed = Number(process.env.HEADGATE_CHAOS_SEED ?? Math.floor(Math.random() * 1e6));

/** Milliseconds of faults. */
const storms = { single: 7_000, cluster: 3_000, failover: 3_000 };

describe(`eight processes, a store, and what can befall them (HEADGATE_CHAOS_SEED=${seed})`, () => {
  test.each(Object.keys(grounds) as (keyof typeof grounds)[])(
    'every invariant holds: %s',
    async (ground) => {
      const reports: Report[] = [];
      await play({
        ground,
        seed,
        limits: [1, 3],
        calm: 1_000,
        weather: () => ({ lasts: storms[ground], pace: 350 }),
        more: (done) => done < 1,
        tell: (report) => reports.push(report),
      });
      const [report] = reports as [Report];
      expect(report.broken, report.text).toEqual([]);
      for (const name of Object.keys(invariants)) {
        // Strict order can only be told where somebody was passed, or could have been.
        expect(report.checked[name], name).toBeGreaterThan(0);
      }
    },
    60_000,
  );
});
