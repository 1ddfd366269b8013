import { LogHistogram } from './log-histogram.ts';
import type { Level, Windows } from './windows.ts';

/** The part of the windows with the fewest requests in flight that shows how long a request takes when calm. */
const CALM = { from: 0.02, to: 0.25 };
/** The part of the windows with the most requests in flight that shows whether the server was saturated. */
const BUSY = 0.05;
/** Saturated: requests took this many times as long as when calm. Below, the log cannot contain the limit. */
const MIN_STRETCH = 2;
/** Logs are exact to a millisecond, so shorter durations are too inexact to be compared. */
const MIN_CALM_MS = 1;
/** A level of fewer windows may be chance. */
const MIN_WINDOWS = 5;
/** With exactly as many requests as the rate needs on average, a part of the server is idle whenever fewer are there. */
const MARGIN = 1.2;

export interface Suggestion {
  readonly limit: number;
  /** Whether the log contains an overload. Otherwise the server can do at least `limit`. */
  readonly isSaturated: boolean;
  /** The highest rate at which requests were answered, per second. */
  readonly rate: number;
  /** Milliseconds per request while few were in flight. */
  readonly calm: number;
}

/**
 * The limit that the log shows: the highest rate of answers, times the duration of a request while few were in flight
 * (Little's law), and a fifth more. Durations under load would contain the time in a queue, and so would any limit that is made of them.
 *
 * @param usesMedian For durations that include slow clients.
 * @returns Undefined if the log is too short.
 */
export function suggestionOf({ levels }: Windows, usesMedian: boolean): Suggestion | undefined {
  const ascending = [...levels].sort(([one], [other]) => one - other).map(([, level]) => level);
  const windows = countOf(ascending);
  const busy = between(ascending, (1 - BUSY) * windows, windows);
  // The rate may fall again in the busiest windows. Or these are so few that no level has enough of them.
  const groups = [busy, ...ascending.map((level) => [level])].filter(
    (group) => countOf(group) >= MIN_WINDOWS,
  );
  if (groups.length === 0) return undefined;
  const rate = Math.max(...groups.map((group) => medianOf(group, 'rates')));
  const calm = durationOf(between(ascending, CALM.from * windows, CALM.to * windows), usesMedian);
  const isSaturated = medianOf(busy, 'means') >= MIN_STRETCH * Math.max(calm, MIN_CALM_MS);
  const limit = Math.max(1, Math.round((MARGIN * rate * calm) / 1000));
  return { limit, isSaturated, rate, calm };
}

function countOf(levels: readonly Level[]): number {
  return levels.reduce((sum, { windows }) => sum + windows, 0);
}

function medianOf(levels: readonly Level[], measure: 'rates' | 'means' | 'durations'): number {
  const all = new LogHistogram();
  for (const level of levels) all.include(level[measure]);
  return all.median;
}

/** The levels that contain the windows from one position to another, in the order of requests in flight. */
function between(ascending: readonly Level[], from: number, to: number): Level[] {
  let before = 0;
  return ascending.filter(({ windows }) => {
    const [begins, ends] = [before, before + windows];
    before = ends;
    return ends > from && begins < to;
  });
}

function durationOf(levels: readonly Level[], usesMedian: boolean): number {
  if (usesMedian) return medianOf(levels, 'durations');
  const [took, answered] = levels.reduce(
    ([sum, count], level) => [sum + level.took, count + level.answered],
    [0, 0] as [number, number],
  );
  return took / answered;
}
