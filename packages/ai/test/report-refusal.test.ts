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
