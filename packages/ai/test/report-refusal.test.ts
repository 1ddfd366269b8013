import { createLimiter } from '@headgate/core';
import { expect, it } from 'vitest';
import { reportRefusal } from '../src/index.ts';

/** For how long ten of these responses pause a limiter. */
function pauseAfter(status: number, fields: Record<string, string>, body = '{}') {
  const limiter = createLimiter({ limit: 4, perKey: true });
  const response = new Response(null, { status, headers: fields });
  const permit = limiter.tryAcquire({ key: 'large' });
  for (let count = 0; count < 10; count++) reportRefusal(limiter, response, body, 'large');
  permit?.release();
  const { pausedFor } = limiter.stats();
  return pausedFor === undefined ? undefined : Math.ceil(pausedFor / 100) / 10;
}

it.each([
  [429, { 'retry-after': '5' }, 5],
  [429, { 'retry-after': '5', 'retry-after-ms': '2500' }, 2.5],
  [529, {}, 1],
  [503, { 'retry-after': '7' }, 7],
  // At most the default of `maxPause`, whatever the provider sends.
  [429, { 'retry-after': '1000000000' }, 120],
  [429, { 'retry-after': '1e9' }, 1],
  [429, { 'retry-after-ms': '1e15' }, 120],
  [429, { 'retry-after': 'Thu, 01 Jan 2099 00:00:00 GMT' }, 120],
  [429, { 'retry-after': '-5' }, 1],
  [429, { 'retry-after': '1, 2' }, 1],
  [429, { 'retry-after': 'Thu, 01 Jan 1970 00:00:00 GMT' }, 1],
  [503, {}, undefined],
  [500, { 'retry-after': '7' }, undefined],
  [400, {}, undefined],
  [200, {}, undefined],
])('a provider’s %d with %o pauses the limit for %s seconds', (status, fields, seconds) => {
  expect(pauseAfter(status, fields as Record<string, string>)).toBe(seconds);
});

it('an exhausted quota pauses nothing', () => {
  const body = '{"error":{"type":"insufficient_quota","code":"insufficient_quota"}}';
  expect(pauseAfter(429, { 'retry-after': '3600' }, body)).toBeUndefined();
});
