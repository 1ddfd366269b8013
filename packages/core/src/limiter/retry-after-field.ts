import { invalid } from '../errors.ts';

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
  return Date.parse(field) - Date.now();
}
