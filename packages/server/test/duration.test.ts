import { expect, it } from 'vitest';
import { parseDuration } from '../src/duration.ts';

const s = 1_000;
const day = 86_400 * s;

it.each([
  ['17ns', 17e-6],
  ['17nsec', 17e-6],
  ['17nanos', 17e-6],
  ['3us', 3e-3],
  ['3µs', 3e-3],
  ['3usec', 3e-3],
  ['6ms', 6],
  ['6msec', 6],
  ['6millis', 6],
  ['3s', 3 * s],
  ['3sec', 3 * s],
  ['3secs', 3 * s],
  ['1second', s],
  ['3seconds', 3 * s],
  ['2m', 120 * s],
  ['2min', 120 * s],
  ['2mins', 120 * s],
  ['1minute', 60 * s],
  ['2minutes', 120 * s],
  ['2h', 7_200 * s],
  ['2hr', 7_200 * s],
  ['2hrs', 7_200 * s],
  ['1hour', 3_600 * s],
  ['2hours', 7_200 * s],
  ['1d', day],
  ['1day', day],
  ['2days', 2 * day],
  ['1w', 7 * day],
  ['1wk', 7 * day],
  ['2wks', 14 * day],
  ['1week', 7 * day],
  ['2weeks', 14 * day],
  ['1M', 30.44 * day],
  ['1month', 30.44 * day],
  ['2months', 60.88 * day],
  ['1y', 365.25 * day],
  ['1yr', 365.25 * day],
  ['2yrs', 730.5 * day],
  ['1year', 365.25 * day],
  ['2years', 730.5 * day],
])('%s is parsed', (text, milliseconds) => {
  expect(parseDuration(text)).toBeCloseTo(milliseconds, 6);
});

it.each([
  ['0', 0],
  ['0s', 0],
  ['1h30m', 5_400 * s],
  ['1h 30m', 5_400 * s],
  ['  1h   30 m  ', 5_400 * s],
  ['1m 40s', 100 * s],
  ['1 0s', 10 * s],
  [
    '1year 2months 3days 4h 5m 6s 7ms 8us 9ns',
    31_557_600 * s + 5_260_032 * s + 3 * day + 14_706_007.008009,
  ],
  ['1.5s', 1_500],
  ['1.5ms', 1.5],
  ['1.000000002s', 1_000.000002],
  ['1.5m', 90 * s],
  ['0.5h', 1_800 * s],
  ['1 . 5 s', 1_500],
  ['0.0s', 0],
  ['000000000000000000000000000001s', s],
])('%s is %d ms', (text, milliseconds) => {
  expect(parseDuration(text)).toBeCloseTo(milliseconds, 6);
});

it.each([
  '',
  ' ',
  '5',
  ' 0',
  '00',
  '-1s',
  '+1s',
  '1.s',
  '.5s',
  '1,5s',
  '1..5s',
  '1.2.3s',
  's',
  '1 sec ond',
  '1S',
  '1hours!',
  '1h5',
  '1x',
  '1s 2',
  '1s;',
  '0.5ns',
  '1.0ns',
  '1.0000000001s',
  '0.0001h',
  '1.00000000000000000000s',
  '1m+40s',
  'Infinity',
  'NaN s',
])('"%s" is not a duration', (text) => {
  expect(parseDuration(text)).toBeUndefined();
});

it('durations are limited to 64 bits of seconds', () => {
  expect(parseDuration('18446744073709551615s')).toBe(2 ** 64 * 1_000);
  expect(parseDuration('18446744073709551616s')).toBeUndefined();
  expect(parseDuration('18446744073709551615s 1s')).toBeUndefined();
  expect(parseDuration('18446744073709551615s 999ms')).toBe(2 ** 64 * 1_000);
  expect(parseDuration('18446744073709551615m')).toBeUndefined();
  expect(parseDuration('18446744073709551615ns')).toBeCloseTo(18446744073709.55, 1);
  expect(parseDuration('18446744073710ms')).toBeUndefined();
  expect(parseDuration('584542046090years')).toBeCloseTo(584542046090 * 365.25 * day, -9);
  expect(parseDuration('584542046091years')).toBeUndefined();
  expect(parseDuration('9'.repeat(50_000))).toBeUndefined();
  expect(parseDuration(`${'9'.repeat(50_000)}s`)).toBeUndefined();
});
