import { invalid } from '../errors.ts';

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
export function recordRefusal({ refusals, released, holders }: Refused): boolean {
  const count = Math.max(MIN_REFUSALS, holders);
  if (refusals.push(released) > count) refusals.shift();
  const first = refusals.at(-count) as number; // or undefined, which compares as false
  return released - first < 2 * count;
}

/** Milliseconds of a pause for which the other service has given no time. */
export const DEFAULT_PAUSE_MS = 1_000;

/**
 * The milliseconds of a pause: a number, or the value of a `Retry-After` field (RFC 9110, section 10.2.3), which is a
 * number of seconds or a date. Negative and malformed values are 0, since they come from another server.
 *
 * @throws HeadgateError for neither a string nor a number.
 */
export function pauseOf(pause: number | string): number {
  const milliseconds = typeof pause === 'string' ? millisecondsIn(pause.trim()) : pause;
  if (typeof milliseconds === 'number') return Math.max(0, milliseconds || 0);
  const expected = 'a number of milliseconds, or the value of a Retry-After field';
  throw invalid('pause', expected, pause);
}

function millisecondsIn(field: string): number {
  if (/^\d+(\.\d+)?$/.test(field)) return 1_000 * Number(field);
  // `Date.parse` guesses: to it, "in 40" is a date.
  return /^[A-Z][a-z]+,? .*\d\d:\d\d:\d\d/.test(field) ? Date.parse(field) - Date.now() : 0;
}
