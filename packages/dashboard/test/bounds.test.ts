import { createLimiter } from '@headgate/core';
import { concurrencyLimit } from '@headgate/express';
import { expect, it } from 'vitest';
import { type DashboardOptions, dashboard } from '../src/express.ts';

function errorOf(options: object): unknown {
  const limits = [createLimiter({ name: 'api', limit: 5 })];
  try {
    dashboard({ limits, ...options } as DashboardOptions);
  } catch (error) {
    return error;
  }
  return undefined;
}

it.each([
  [{ bounds: [] }, 'bounds', 'bounds must be an object with the bounds of each limit by its name'],
  [{ bounds: 5 }, 'bounds', 'bounds must be an object'],
  [{ bounds: { api: { min: 0 } } }, 'bounds.api.min', 'a whole number of at least 1, got 0'],
  [{ bounds: { api: { max: 1.5 } } }, 'bounds.api.max', 'a whole number of at least 1, got 1.5'],
  [{ bounds: { api: { min: 9, max: 8 } } }, 'bounds.api.max', 'of at least 9, got 8'],
  [
    { bounds: { api: [1, 2] } },
    'bounds.api',
    'the options of bounds.api must be an object, got an array of 2',
  ],
  [{ bounds: { api: 5 } }, 'bounds.api', 'must be an object, got 5'],
  [{ bounds: { app: { max: 5 } } }, 'bounds.app', 'bounds.app has no effect: the limits are api'],
])('refuses %j', (options, option, message) => {
  expect(errorOf(options)).toMatchObject({ option, message: expect.stringContaining(message) });
});

it('bounds may name any limit, and any other name if limits is a function', () => {
  const limits = [{ name: 'user', limit: 1, key: () => 'a' } as const, { name: 'app', limit: 9 }];
  const gate = concurrencyLimit({ limits });
  const bounds = { user: { max: 5 }, app: { min: 2 } };
  expect(errorOf({ limits: [gate], bounds })).toBeUndefined();
  expect(errorOf({ limits: () => [], bounds })).toBeUndefined();
});
