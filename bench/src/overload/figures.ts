import { percentile } from '../stats.ts';
import type { Attempt, Result } from './client.ts';

/** What became of the requests of a phase, per second. */
export interface Figures {
  offered: number;
  /** In time. */
  answered: number;
  refused: number;
  late: number;
  failed: number;
  /** Milliseconds, of those answered. */
  p50: number;
  p99: number;
}

export function figuresOf(attempts: readonly Attempt[], seconds: number): Figures {
  const rate = (result: Result) => countOf(attempts, result) / seconds;
  const times = attempts.filter(({ result }) => result === 'answered').map(({ took }) => took);
  return {
    offered: attempts.length / seconds,
    answered: rate('answered'),
    refused: rate('refused'),
    late: rate('late'),
    failed: rate('failed'),
    p50: percentile(times, 0.5),
    p99: percentile(times, 0.99),
  };
}

/** Which part of them was answered in time. */
export function answeredPart(attempts: readonly Attempt[]): number {
  return countOf(attempts, 'answered') / attempts.length;
}

function countOf(attempts: readonly Attempt[], result: Result): number {
  return attempts.filter((attempt) => attempt.result === result).length;
}

/** Milliseconds: from one step to the next, and what is looked at from each on. */
const step = 100;
const view = 1_000;

/**
 * Milliseconds from the end of a spike until all is as before: from then on, for a second, 95 % are answered in time, and
 * the slowest of them take no longer than twice the p99 of before. Infinity where that is never seen.
 *
 * @param attempts Those after the spike.
 * @param end When the spike ended, as the times of the attempts are counted.
 * @param before The p99 of the same load before the spike, in milliseconds.
 */
export function recoveryTime(attempts: readonly Attempt[], end: number, before: number): number {
  const last = attempts.at(-1)?.at ?? end;
  for (let from = end; from + view <= last + step; from += step) {
    const seen = attempts.filter(({ at }) => at >= from && at < from + view);
    const { p99 } = figuresOf(seen, 1);
    if (answeredPart(seen) >= 0.95 && p99 <= 2 * before) return from - end;
  }
  return Number.POSITIVE_INFINITY;
}

/** How many values there are per unit, by least squares: answers that come in batches do not mislead it. */
export function slope(rising: readonly number[]): number {
  const mean = rising.reduce((sum, value) => sum + value, 0) / rising.length;
  const middle = (rising.length - 1) / 2;
  const together = rising.reduce((sum, value, i) => sum + (value - mean) * (i - middle), 0);
  return together / rising.reduce((sum, value) => sum + (value - mean) ** 2, 0);
}
