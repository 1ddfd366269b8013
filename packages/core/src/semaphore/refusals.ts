/** Minimum number of refusals that begin a pause. */
const MIN_REFUSALS = 10;

interface Refused {
  /** For each of the latest refusals: the number of permits that had been released before. */
  readonly refusals: number[];
  /** Number of permits that were released: each is an answer. */
  readonly released: number;
  /** Number of permits that are held. */
  readonly holders: number;
}

/**
 * Records a refusal by the service behind a limit. Returns whether at least half of the last answers were refusals: of
 * the last twenty, or of twice the number of requests in flight if that is more. Refusals arrive sooner than other
 * answers, so a burst of requests would otherwise look refused.
 */
export function refusesHalf({ refusals, released, holders }: Refused): boolean {
  const count = Math.max(MIN_REFUSALS, holders);
  if (refusals.push(released) > count) refusals.shift();
  const first = refusals.at(-count) as number; // or undefined, which compares as false
  return released - first < 2 * count;
}
