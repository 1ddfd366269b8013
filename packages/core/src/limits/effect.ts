/** A lower limit must have gained at least this fraction of the expected improvement, or it is reverted. */
const MIN_IMPROVEMENT = 0.5;

/** A smaller improvement, as a fraction of its margin of error, may be chance. */
const MIN_MARGIN_FRACTION = 0.75;

/** How slow work was under a limit. */
export interface Measurement {
  readonly limit: number;
  /** Mean ratio of work to its baseline. */
  readonly slowdown: number;
  /** Margin of error of `slowdown`. */
  readonly margin: number;
}

/** Whether a lower limit has made work faster; `unclear` if chance may hide an improvement. */
export function effectOf(before: Measurement, after: Measurement): 'helped' | 'futile' | 'unclear' {
  const improvement = before.slowdown - after.slowdown;
  const expected = before.slowdown * (1 - after.limit / before.limit);
  const enough = expected * MIN_IMPROVEMENT;
  const chance = MIN_MARGIN_FRACTION * Math.hypot(before.margin, after.margin);
  if (improvement >= Math.max(enough, chance)) return 'helped';
  return enough >= chance ? 'futile' : 'unclear';
}
