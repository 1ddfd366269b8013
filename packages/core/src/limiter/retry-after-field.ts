import { invalid } from '../errors.ts';

/**
 * The milliseconds of a pause: a number, or the value of a `Retry-After` field (RFC 9110, section 10.2.3), which is a
 * number of seconds or a date. A field with another value comes from another server, and is ignored.
 *
 * @throws HeadgateError for neither a string nor a number from 0.
 */
export function pauseOf(pause: number | string): number {
  if (typeof pause === 'string') return millisecondsIn(pause.trim());
  if (typeof pause === 'number' && pause >= 0) return pause;
  const expected = 'a number of milliseconds from 0, or the value of a Retry-After field';
  throw invalid('pause', expected, pause);
}

function millisecondsIn(field: string): number {
  if (/^\d+(\.\d+)?$/.test(field)) return 1_000 * Number(field);
  return Math.max(0, Date.parse(field) - Date.now() || 0);
}
