import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { timeLeftFromHeaders } from '../src/http/deadline-headers.ts';
import { timeLeft } from '../src/index.ts';

const NOW = 1_700_000_010_000;
const MAX = 10_000;

const read = (headers: Readonly<Record<string, string>>, max = MAX) =>
  timeLeftFromHeaders((name) => headers[name], max, NOW);

it.each([
  ['x-request-start', '1700000008000', 8000],
  ['x-request-start', 't=1700000008.123', 8123],
  ['x-request-start', 't=1700000008', 8000],
  ['x-request-start', '1700000008.5', 8500],
  ['x-request-start', 't=1700000008123456', 8123],
  ['x-request-start', '1700000008123456789', 8123],
  ['x-request-start', '1700000010000.9', 10_000],
  ['x-request-start', '1699999960000', 0],
  ['x-request-start', '1699999950000', 0],
  ['x-envoy-expected-rq-timeout-ms', '250', 250],
  ['x-envoy-expected-rq-timeout-ms', '0', 0],
  ['connect-timeout-ms', '9999', 9999],
  ['grpc-timeout', '10S', 10_000],
  ['grpc-timeout', '1500m', 1500],
  ['grpc-timeout', '99999999n', 99.999999],
  ['grpc-timeout', '500u', 0.5],
  ['expect-within', '1.250', 1250],
  ['expect-within', '3', 3000],
  ['prefer', 'wait=5', 5000],
  ['prefer', 'respond-async, WAIT = "5"; strict, return=minimal', 5000],
  ['prefer', 'return=minimal,wait=2,wait=7', 2000],
])('%s: %s leaves %d ms', (name, value, left) => {
  expect(read({ [name]: value })).toBeCloseTo(left, 6);
});

it.each([
  ['x-request-start', '1700000010001'],
  ['x-request-start', '1699999949999'],
  ['x-request-start', '1700000008000, 1700000009000'],
  ['x-request-start', 't=t=1700000008'],
  ['x-request-start', '-1700000008'],
  ['x-request-start', '17000000080'],
  ['x-request-start', '17000000081234567890123'],
  ['x-envoy-expected-rq-timeout-ms', '-1'],
  ['x-envoy-expected-rq-timeout-ms', '1.5'],
  ['x-envoy-expected-rq-timeout-ms', '1e3'],
  ['x-envoy-expected-rq-timeout-ms', ''],
  ['x-envoy-expected-rq-timeout-ms', '100, 200'],
  ['connect-timeout-ms', 'Infinity'],
  ['connect-timeout-ms', '0x10'],
  ['grpc-timeout', '5'],
  ['grpc-timeout', '5s'],
  ['grpc-timeout', '123456789n'],
  ['grpc-timeout', '1H'],
  ['expect-within', '.5'],
  ['expect-within', '-0.5'],
  ['expect-within', '1.0E-3'],
  ['prefer', 'wait'],
  ['prefer', 'wait=soon'],
  ['prefer', 'wait=-1'],
  ['prefer', 'await=5'],
  ['prefer', 'handling=strict; wait=5'],
  ['prefer', 'wait=5 6'],
])('%s: %j says nothing', (name, value) => {
  expect(read({ [name]: value })).toBeUndefined();
});

it('the header that says the least counts', () => {
  const headers = { 'x-request-start': '1700000008000', 'connect-timeout-ms': '9000' };
  expect(read({ ...headers, 'grpc-timeout': '700m', prefer: 'wait=4' })).toBe(700);
  expect(read(headers)).toBe(8000);
});

it('a time above max says nothing, and neither does one above a minute', () => {
  expect(read({ 'connect-timeout-ms': '10001' })).toBeUndefined();
  expect(read({ 'connect-timeout-ms': '60000' }, 120_000)).toBe(60_000);
  expect(read({ 'connect-timeout-ms': '60001' }, 120_000)).toBeUndefined();
});

const names = [
  'x-request-start',
  'x-envoy-expected-rq-timeout-ms',
  'grpc-timeout',
  'connect-timeout-ms',
  'expect-within',
  'prefer',
];

it('for any headers, the time is undefined or from 0 to max', () => {
  const value = fc.oneof(
    fc.string(),
    fc.nat().map(String),
    fc.integer({ min: NOW - 100_000, max: NOW + 100_000 }).map(String),
    fc
      .array(fc.constantFrom(...'0159.,;=-" tHMSmun', 'wait'), { maxLength: 20 })
      .map((all) => all.join('')),
  );
  const headers = fc.dictionary(fc.constantFrom(...names), value);
  const max = fc.double({ min: 0, minExcluded: true, noNaN: true });
  fc.assert(
    fc.property(headers, max, (each, most) => {
      const left = read(each, most);
      expect(left === undefined || (left >= 0 && left <= most)).toBe(true);
    }),
    { numRuns: 2000 },
  );
});

it.each([' ', ',', ', ', '1', '1.', 'wait', ',wait ', ',wait=', ',wait=1 ', ',wait=1"', 't='])(
  'reads a megabyte of %j in linear time',
  (part) => {
    const value = part.repeat(1_000_000 / part.length);
    const start = performance.now();
    for (const name of names) for (const text of [value, `${value}x`]) read({ [name]: text });
    expect(performance.now() - start).toBeLessThan(1500);
  },
);

describe('timeLeft()', () => {
  const fields = { 'connect-timeout-ms': '500' };
  const left = timeLeft({ max: MAX });

  it.each([
    ['Express, Fastify, Koa and node:http', { headers: fields, req: {} }],
    ['web-standard requests', new Request('http://localhost', { headers: fields })],
    ['Hono', { req: { raw: new Request('http://localhost', { headers: fields }) } }],
    ['NestJS', { switchToHttp: () => ({ getRequest: () => ({ headers: fields }) }) }],
  ])('reads the headers of %s', (_, request) => {
    expect(left(request)).toBe(500);
  });

  it('reads the headers of a client that sends one of the name get, or a header twice', () => {
    const headers = { get: 'x', 'grpc-timeout': ['1S', '2S'] };
    expect(left({ headers })).toBeUndefined();
    expect(left({ headers: { ...headers, ...fields } })).toBe(500);
  });

  it('returns undefined for a request without such a header, and has its max as a property', () => {
    expect(left({ headers: {} })).toBeUndefined();
    expect(left({})).toBeUndefined();
    expect(left.max).toBe(MAX);
  });

  it('measures X-Request-Start by the wall clock', () => {
    const start = Date.now() - 2000;
    const time = left({ headers: { 'x-request-start': `${start}` } }) as number;
    expect(time).toBeLessThanOrEqual(8000);
    expect(time).toBeGreaterThan(0);
  });

  it.each([undefined, 0, -1, Number.NaN, '5000'])('throws for a max of %s', (max) => {
    const error = { code: 'ERR_HEADGATE_OPTION', option: 'max' };
    expect(() => timeLeft({ max: max as number })).toThrow(expect.objectContaining(error));
  });

  it('throws for an unknown option', () => {
    const create = () => timeLeft({ max: 1, min: 1 } as { max: number });
    expect(create).toThrow(expect.objectContaining({ code: 'ERR_HEADGATE_UNKNOWN_OPTION' }));
  });
});
