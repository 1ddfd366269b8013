import { type Outcome, quantile } from 'headgate/load';
import type { Attempt } from './load.ts';

/** The outcomes of a phase's requests, per second. */
export interface Figures {
  offered: number;
  /** Answered in time. */
  answered: number;
  refused: number;
  late: number;
  failed: number;
  /** Latencies of the answered requests in milliseconds. */
  p50: number;
  p99: number;
}

export function figuresOf(attempts: readonly Attempt[], seconds: number): Figures {
  const rate = (outcome: Outcome) => countOf(attempts, outcome) / seconds;
  const times = attempts.filter(({ outcome }) => outcome === 'answered').map(({ took }) => took);
  return {
    offered: attempts.length / seconds,
    answered: rate('answered'),
    refused: rate('rejected'),
    late: rate('gaveUp'),
    failed: rate('failed'),
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
  };
}

/** The fraction answered in time. */
export function answeredPart(attempts: readonly Attempt[]): number {
  return countOf(attempts, 'answered') / attempts.length;
}

function countOf(attempts: readonly Attempt[], outcome: Outcome): number {
  return attempts.filter((attempt) => attempt.outcome === outcome).length;
}

/** The step between two windows and their length, in milliseconds. */
const step = 100;
const window = 1_000;

/**
 * The recovery time in milliseconds: from the end of a spike to the first window of a second in which 95 % are answered
 * in time with a p99 of at most twice that from before the spike. Infinity if there is none.
 *
 * @param attempts The requests after the spike.
 * @param end The end of the spike, on the clock of the attempts.
 * @param before The p99 of the same load before the spike, in milliseconds.
 */
export function recoveryTime(attempts: readonly Attempt[], end: number, before: number): number {
  const last = attempts.at(-1)?.at ?? end;
  for (let from = end; from + window <= last + step; from += step) {
    const seen = attempts.filter(({ at }) => at >= from && at < from + window);
    const { p99 } = figuresOf(seen, 1);
    if (answeredPart(seen) >= 0.95 && p99 <= 2 * before) return from - end;
  }
  return Number.POSITIVE_INFINITY;
}
