import type { Work } from './app.ts';
import type { Attempt } from './open-loop.ts';
import type { Phase } from './plan.ts';

/** What happened to the requests sent during the spike, and how the server recovered. */
export interface Summary {
  readonly sent: number;
  /** Of those, the requests that were answered in time. */
  readonly answered: number;
  /** Answers in time per second, over the whole spike and in its worst second. */
  readonly rate: number;
  readonly worstRate: number;
  /** Wait of the requests that were not rejected; Infinity for clients that gave up. */
  readonly p50: number;
  readonly p99: number;
  readonly rejected: number;
  /** Median time to a rejection. */
  readonly rejectedAfter: number | undefined;
  readonly gaveUp: number;
  readonly failed: number;
  readonly wasted: number;
  readonly done: number;
  /** From the end of the spike; undefined if it did not recover during the run. */
  readonly recovery: number | undefined;
  /** The generator's lateness (p99). */
  readonly lag: number;
}

export function summarize(attempts: readonly Attempt[], spike: Phase, work: Work): Summary {
  const during = attempts.filter(({ due }) => due >= spike.from && due < spike.to);
  const rejected = during.filter(({ outcome }) => outcome === 'rejected');
  const waits = during.filter(({ outcome }) => outcome !== 'rejected').map(waitOf);
  return {
    sent: during.length,
    answered: during.filter(({ outcome }) => outcome === 'answered').length,
    rate: answeredPerSecond(attempts, spike.from, spike.to),
    worstRate: worstSecond(attempts, spike),
    p50: percentile(waits, 50) ?? Number.POSITIVE_INFINITY,
    p99: percentile(waits, 99) ?? Number.POSITIVE_INFINITY,
    rejected: rejected.length,
    rejectedAfter: percentile(
      rejected.map(({ took }) => took),
      50,
    ),
    gaveUp: during.filter(({ outcome }) => outcome === 'gaveUp').length,
    failed: attempts.filter(({ outcome }) => outcome === 'failed').length,
    wasted: work.wasted,
    done: work.done,
    recovery: recovery(attempts, spike.to),
    lag:
      percentile(
        attempts.map(({ late }) => late),
        99,
      ) ?? 0,
  };
}

const waitOf = ({ outcome, took }: Attempt) =>
  outcome === 'answered' ? took : Number.POSITIVE_INFINITY;

/** The smallest value that at least `percent` of the values do not exceed (nearest rank). */
export function percentile(values: readonly number[], percent: number): number | undefined {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)];
}

/** Counts answers by the time they arrived, not by the time of their request. */
export function answeredPerSecond(attempts: readonly Attempt[], from: number, to: number): number {
  const answered = attempts.filter(({ outcome, due, took }) => {
    const at = due + took;
    return outcome === 'answered' && at >= from && at < to;
  });
  return answered.length / ((to - from) / 1_000);
}

const second = 1_000;
const step = 100;

function worstSecond(attempts: readonly Attempt[], { from, to }: Phase): number {
  let worst = Number.POSITIVE_INFINITY;
  for (let at = from; at + second <= to; at += step) {
    worst = Math.min(worst, answeredPerSecond(attempts, at, at + second));
  }
  return worst;
}

const minConsecutive = 5;

/** Time from the end of the spike to the first of five consecutive requests that are all answered in time. */
export function recovery(attempts: readonly Attempt[], spikeEnd: number): number | undefined {
  const after = attempts.filter(({ due }) => due >= spikeEnd).sort((a, b) => a.due - b.due);
  let since: number | undefined;
  let consecutive = 0;
  for (const { due, outcome } of after) {
    if (outcome !== 'answered') consecutive = 0;
    else if (consecutive++ === 0) since = due;
    if (consecutive === minConsecutive && since !== undefined) return since - spikeEnd;
  }
  return undefined;
}
