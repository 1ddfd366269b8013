import { type Comparison, capacityOf } from './comparison.ts';
import { duration, percent, perSecond } from './format.ts';

export interface Verdict {
  readonly headline: string;
  /** Remarks needed to judge the figures. */
  readonly remarks: readonly string[];
  /** False if the demo is at fault rather than the machine; CI then fails. */
  readonly sound: boolean;
}

/**
 * The part of the capacity that the server should reach with Headgate, and the part it must reach even on a noisy
 * machine.
 */
const goal = 0.9;
const minimum = 0.5;
const drift = 0.1;
/** If the capacities differ by more than this, other programs were using the machine, and the result is not judged. */
const maxDrift = 0.4;
const maxLag = 50;

export function judge(comparison: Comparison): Verdict {
  const capacity = capacityOf(comparison);
  const before = comparison.bare.summary.rate / capacity;
  const after = comparison.guarded.summary.rate / capacity;
  const headline =
    after >= goal
      ? `With Headgate the server kept answering: ${percent(after)} of its capacity during the spike, against ${percent(before)} without.`
      : `With Headgate the server reached ${percent(Math.floor(after * 100) / 100)} of its capacity during the spike, less than the expected ${percent(goal)}; without, it reached ${percent(before)}.`;
  return {
    headline,
    remarks: [...driftOf(comparison), ...scheduleOf(comparison), ...failuresOf(comparison)],
    sound: (after >= minimum && after > before) || steadiness(comparison) < 1 - maxDrift,
  };
}

function steadiness({ capacities }: Pick<Comparison, 'capacities'>): number {
  return Math.min(...capacities) / Math.max(...capacities);
}

function driftOf({ capacities }: Comparison): string[] {
  if (steadiness({ capacities }) >= 1 - drift) return [];
  const [first, second, third] = capacities.map(perSecond);
  return [
    `The machine was not steady, which can lower both results: it could do ${first} before the runs, ${second} between them and ${third} after.`,
  ];
}

function scheduleOf({ bare, guarded }: Comparison): string[] {
  const lag = Math.max(bare.summary.lag, guarded.summary.lag);
  return [
    lag > maxLag
      ? `The load generator could not keep its schedule: 1 request in 100 was sent more than ${duration(lag)} late.`
      : `The load generator kept its schedule: 99 of 100 requests were sent within ${duration(lag)} of their time.`,
  ];
}

function failuresOf({ bare, guarded }: Comparison): string[] {
  const failed = bare.summary.failed + guarded.summary.failed;
  return failed > 0 ? [`${failed} requests failed in another way (see the table).`] : [];
}
