import type { GateGuard, Limiter, LimiterStats, Stats } from '@headgate/core';
import { invalid } from '@headgate/core/options';

/**
 * What the chart shows: in use (a guard's delay, in milliseconds); queued; limit (0 for a gate); rejected, and what shadow
 * mode has admitted instead, since the start.
 */
export type Figures = readonly [
  used: number,
  queued: number,
  limit: number,
  rejected: number,
  wouldReject: number,
];

/** The figures of a limit. If it is the only one of its gate, `stats` has the counts of the gate. */
export function limitFigures(limiter: Limiter, stats: LimiterStats): Figures {
  checkCounts(stats, stats.inflight);
  const { distributed } = stats;
  return [
    distributed?.inflight ?? stats.inflight,
    distributed?.queued ?? stats.queued,
    commonLimitOf(limiter, stats) ?? 0,
    sumOf(stats.rejected),
    sumOf(stats.wouldReject),
  ];
}

/** A gate of several limits, or of none. */
export function gateFigures(guard: GateGuard | undefined, stats: Stats): Figures {
  checkCounts(stats, stats.holders);
  const delay = delayOf(guard, stats);
  const [used, queued] = delay === undefined ? [stats.holders, stats.queued] : [delay, 0];
  return [used, queued, 0, sumOf(stats.rejected), sumOf(stats.wouldReject)];
}

/** The delay that the chart shows instead of requests: that of a guard without limits. */
export function delayOf(guard: GateGuard | undefined, stats: Stats): number | undefined {
  return guard && finite(stats.guard?.delay);
}

/** A keyed limit that cannot be set has no common value: each request sets that of its key. */
export function commonLimitOf(limiter: Limiter, { limit }: LimiterStats): number | undefined {
  return limiter.perKey && !limiter.operations.includes('setLimit') ? undefined : finite(limit);
}

/** JSON makes null of a number that is not finite, which the page could not format. */
export function finite(value: unknown): number | undefined {
  return Number.isFinite(value) ? (value as number) : undefined;
}

/** @throws HeadgateError for statistics of the application that are not numbers. */
function checkCounts(stats: Stats, inflight: number): void {
  const { queued, longestWait, admitted, withdrawn, leaked, rejected, wouldReject } = stats;
  const counts: unknown[] = [inflight, queued, longestWait, admitted, withdrawn, leaked];
  for (const count of [...counts, ...Object.values(rejected), ...Object.values(wouldReject)]) {
    if (!Number.isFinite(count)) throw invalid('stats()', 'a method that returns counts', count);
  }
}

function sumOf(counts: Readonly<Record<string, number>>): number {
  let sum = 0;
  for (const reason in counts) sum += counts[reason] as number;
  return sum;
}
