import { invalid } from '../errors.ts';

/**
 * The milliseconds of a pause: a number, or the value of a `Retry-After` field (RFC 9110, section 10.2.3), which is a
 * number of seconds or a date.
 *
 * @throws HeadgateError for another value.
 */
export function pauseOf(pause: number | string): number {
  const milliseconds = typeof pause === 'string' ? millisecondsIn(pause.trim()) : pause;
  if (typeof milliseconds === 'number' && milliseconds >= 0) return milliseconds;
  const expected = 'a number of milliseconds from 0, or the value of a Retry-After field';
  throw invalid('pause', expected, pause);
}

function millisecondsIn(field: string): number {
  if (/^\d+(\.\d+)?$/.test(field)) return 1_000 * Number(field);
  return Math.max(0, Date.parse(field) - Date.now());
}
