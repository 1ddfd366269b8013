import { type Comparison, capacityOf } from './comparison.ts';
import { count, duration, perSecond, seconds } from './format.ts';

export interface Verdict {
  /** What both servers did, or that the run does not show it. */
  readonly headline: string;
  /** Remarks needed to judge the figures. */
  readonly remarks: readonly string[];
  /** Whether the figures show something. They do not if other programs were using the machine. */
  readonly isConclusive: boolean;
  /** False if the demo is at fault rather than the machine; CI then fails. */
  readonly sound: boolean;
}

const drift = 0.1;
/** If the capacities differ by more than this, other programs were using the machine. */
const maxDrift = 0.4;
/** If the load generator was later than this, other programs kept it from sending the load. */
const maxLag = 50;

export function judge(comparison: Comparison): Verdict {
  const { bare, guarded } = comparison;
  const isConclusive = steadiness(comparison) >= 1 - maxDrift && lagOf(comparison) <= maxLag;
  return {
    headline: isConclusive ? headlineOf(comparison) : inconclusive,
    remarks: [
      ...(isConclusive ? [capacityIn(comparison)] : []),
      ...driftOf(comparison),
      ...scheduleOf(comparison),
      ...failuresOf(comparison),
    ],
    isConclusive,
    sound: guarded.summary.rate > bare.summary.rate || !isConclusive,
  };
}

const inconclusive =
  'This run shows nothing: other programs kept the machine too busy. Run the demo again when it is idle.';

function headlineOf({ bare, guarded }: Comparison): string {
  const { sent } = guarded.summary;
  return `Of ${count(sent)} requests during the spike, ${count(bare.summary.answered)} were answered in time without Headgate, and ${count(guarded.summary.answered)} with it.`;
}

function capacityIn(comparison: Comparison): string {
  const [, spike] = comparison.phases;
  const length = spike.to - spike.from;
  const capacity = capacityOf(comparison);
  const answers = count(Math.round((capacity * length) / 1_000));
  return `The spike lasts ${seconds(length)}. At its capacity of ${perSecond(capacity)}, the server answers about ${answers} requests in that time.`;
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

function lagOf({ bare, guarded }: Comparison): number {
  return Math.max(bare.summary.lag, guarded.summary.lag);
}

function scheduleOf(comparison: Comparison): string[] {
  const lag = lagOf(comparison);
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
