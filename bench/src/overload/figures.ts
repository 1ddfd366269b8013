import { percentile } from '../stats.ts';
import type { Attempt, Result } from './client.ts';

/** The outcomes of a phase's requests, per second. */
export interface Figures {
  offered: number;
  /** Answered in time. */
  answered: number;
  refused: number;
  late: number;
  failed: number;
  /** Milliseconds, for answered requests. */
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

/** The fraction that was answered in time. */
export function answeredPart(attempts: readonly Attempt[]): number {
  return countOf(attempts, 'answered') / attempts.length;
}

function countOf(attempts: readonly Attempt[], result: Result): number {
  return attempts.filter((attempt) => attempt.result === result).length;
}

/** Milliseconds between two steps, and the length of the window that begins at each. */
const step = 100;
const view = 1_000;

/**
 * Milliseconds from the end of a spike until the server is back to normal: from then on, for a second, 95 % are
 * answered in time, and their p99 is at most twice that of before. Infinity if that never happens.
 *
 * @param attempts The requests after the spike.
 * @param end When the spike ended, on the time scale of the attempts.
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

/** The number of values per unit, by least squares, which batches of answers do not distort. */
export function slope(rising: readonly number[]): number {
  const mean = rising.reduce((sum, value) => sum + value, 0) / rising.length;
  const middle = (rising.length - 1) / 2;
  const together = rising.reduce((sum, value, i) => sum + (value - mean) * (i - middle), 0);
  return together / rising.reduce((sum, value) => sum + (value - mean) ** 2, 0);
}
