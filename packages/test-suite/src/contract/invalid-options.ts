import { createLimiter, systemClock } from '@headgate/core';
import { expect } from 'vitest';

function closedLimiter(): object {
  const limiter = createLimiter({ limit: 1 });
  limiter.close();
  return limiter;
}

/** Invalid options that are detected when the middleware is created. */
export const invalidOptions: [string, object, object][] = [
  ['an unknown option', { limit: 1, queuLimit: 1 }, { option: 'queuLimit' }],
  [
    'an unknown option of a limit',
    { limits: [{ name: 'a', limit: 1, kee: 1 }] },
    { option: 'kee' },
  ],
  [
    'a key and no limit',
    { key: () => 'k' },
    { option: 'limit', message: expect.stringContaining('has a default limit, got undefined') },
  ],
  ['no limits', { limits: [] }, { option: 'limits' }],
  [
    'an unknown method',
    { limit: 1, route: 'PSOT /r' },
    { code: 'ERR_HEADGATE_ROUTE', message: expect.stringContaining('did you mean POST?') },
  ],
  ['a queueLimit without a limit', { queueLimit: 20 }, { option: 'queueLimit' }],
  ['a closed limiter', { limiter: closedLimiter() }, { option: 'limiter' }],
  ['a limit of 0', { limit: 0 }, { option: 'limit' }],
  ['a limit that is a string', { limit: '5' }, { option: 'limit' }],
  ['a fractional limit', { limit: 1.5 }, { option: 'limit' }],
  ['a negative queueLimit', { limit: 1, queueLimit: -1 }, { option: 'queueLimit' }],
  ['a queueTimeout of NaN', { limit: 1, queueTimeout: Number.NaN }, { option: 'queueTimeout' }],
  [
    'a queueTimeout of one of several limits',
    { limits: [{ name: 'a', limit: 1, queueTimeout: () => 1 }] },
    { option: 'limits[0].queueTimeout', message: expect.stringContaining('next to limits') },
  ],
  [
    'a queueTimeout next to only a guard',
    { guard: { name: 'loop', admits: () => true }, queueTimeout: () => 1 },
    { option: 'queueTimeout' },
  ],
  ['a negative maxHold', { limit: 1, maxHold: -1 }, { option: 'maxHold' }],
  ['an unknown mode', { limit: 1, mode: 'off' }, { option: 'mode' }],
  ['an unknown onDisconnect', { limit: 1, onDisconnect: 'stay' }, { option: 'onDisconnect' }],
  ['an invalid status', { limit: 1, statusCode: 50 }, { option: 'statusCode' }],
  ['a successful status', { limit: 1, statusCode: 200 }, { option: 'statusCode' }],
  ['a key that is not a function', { limit: 1, key: 'user' }, { option: 'key' }],
  ['a skip that is not a function', { limit: 1, skip: '/health' }, { option: 'skip' }],
  ['an onReject that is not a function', { limit: 1, onReject: 'no' }, { option: 'onReject' }],
  ['a weight of 0', { limit: 1, weight: 0 }, { option: 'weight' }],
  ['headers that are not a boolean', { limit: 1, headers: 'yes' }, { option: 'headers' }],
  ['a limit function without a key', { limit: () => 1 }, { option: 'limit' }],
  [
    'a limit next to limits',
    { limit: 1, limits: [{ name: 'app', limit: 1 }] },
    { option: 'limit' },
  ],
  [
    'a status next to limits',
    { statusCode: 429, limits: [{ name: 'app', limit: 1 }] },
    { option: 'statusCode' },
  ],
  ['limits without names', { limits: [{ limit: 1 }] }, {}],
  ['an invalid limiter', { limiter: {} }, { option: 'limiter' }],
  ['a limiter with a limit', { limiter: createLimiter({ limit: 1 }), limit: 5 }, {}],
  [
    'a limiter with a queueLimit',
    { limits: [{ limiter: createLimiter({ limit: 1 }), queueLimit: 5 }] },
    {},
  ],
  ['a keyed limiter without a key', { limiter: createLimiter({ limit: 1, perKey: true }) }, {}],
  ['a key for an unkeyed limiter', { limiter: createLimiter({ limit: 1 }), key: () => 'k' }, {}],
  ['a fairBy that is not a function', { limit: 1, fairBy: 'user' }, { option: 'fairBy' }],
  ['shares without by', { limit: 1, shares: { parts: { gold: 0.5 } } }, { option: 'shares.by' }],
  ['shares without parts', { limit: 1, shares: { by: () => 'gold' } }, { option: 'shares.parts' }],
  [
    'shares that add to more than 1',
    { limit: 1, shares: { parts: { gold: 0.6, free: 0.5 }, by: () => 'gold' } },
    { option: 'shares.parts' },
  ],
  [
    'parts of shares next to a limiter',
    { limiter: createLimiter({ limit: 1 }), shares: { parts: { gold: 0.6 }, by: () => 'gold' } },
    { option: 'shares.parts' },
  ],
  ['a negative queueWeight', { limit: 1, queueWeight: -1 }, { option: 'queueWeight' }],
  [
    'a random of the clock that is not a function',
    { limit: 1, clock: { ...systemClock, random: 0.5 } },
    { option: 'clock' },
  ],
  [
    'a name used twice',
    {
      limits: [
        { name: 'a', limit: 1 },
        { name: 'a', limit: 1 },
      ],
    },
    { code: 'ERR_HEADGATE_DUPLICATE_NAME' },
  ],
  [
    'a keyed limit after one that applies to every request',
    {
      limits: [
        { name: 'app', limit: 1 },
        { name: 'user', limit: 1, key: () => 'k' },
      ],
    },
    { code: 'ERR_HEADGATE_GATE_ORDER' },
  ],
];
