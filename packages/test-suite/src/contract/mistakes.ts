import { createLimiter } from '@headgate/core';
import { expect, it } from 'vitest';
import type { SuiteOptions } from '../framework.ts';
import { ok } from '../kit/handlers.ts';
import type { World } from '../kit/world.ts';

const bug = new Error('a bug of the app');

function broken(): never {
  throw bug;
}

function throwUndefined(): never {
  throw undefined;
}

/** Faults of the app's functions at run time, and the error that the framework gets. */
const bugs: [string, SuiteOptions, object][] = [
  ['key throws', { limit: 1, key: broken }, bug],
  ['weight throws', { limit: 1, weight: broken }, bug],
  ['priority throws', { limit: 1, priority: broken }, bug],
  [
    'priority returns an unknown priority',
    { limit: 1, priority: (() => 'urgent') as never },
    { code: 'ERR_HEADGATE_OPTION', option: 'priority' },
  ],
  ['fairBy throws', { limit: 1, fairBy: broken }, bug],
  ...[undefined, 7, null].map((fairBy): [string, SuiteOptions, object] => [
    `fairBy returns ${JSON.stringify(fairBy)}`,
    { limit: 1, fairBy: () => fairBy as never },
    { code: 'ERR_HEADGATE_OPTION', option: 'fairBy' },
  ]),
  ['shareBy throws', { limit: 1, shares: { gold: 0.5 }, shareBy: broken }, bug],
  [
    'shareBy returns an unknown share',
    { limit: 1, shares: { gold: 0.5 }, shareBy: () => 'silver' },
    { code: 'ERR_HEADGATE_OPTION', option: 'shareBy' },
  ],
  ['skip throws', { limit: 1, skip: broken }, bug],
  [
    'skip returns a promise',
    { limit: 1, skip: (async () => true) as never },
    { code: 'ERR_HEADGATE_OPTION', option: 'skip' },
  ],
  [
    'skip returns a promise that rejects',
    { limit: 1, skip: (async () => broken()) as never },
    { code: 'ERR_HEADGATE_OPTION', option: 'skip' },
  ],
  [
    'key returns a promise that rejects',
    { limit: 1, key: (async () => broken()) as never },
    { code: 'ERR_HEADGATE_KEY' },
  ],
  [
    'skip returns a string',
    { limit: 1, skip: (() => 'admin') as never },
    { code: 'ERR_HEADGATE_OPTION', option: 'skip' },
  ],
  ['limit throws', { limits: [{ name: 'a', limit: broken, key: () => 'k' }] }, bug],
  [
    'key throws undefined',
    { limit: 1, key: throwUndefined },
    { message: 'failed without a reason' },
  ],
  [
    'skip throws undefined',
    { limit: 1, skip: throwUndefined },
    { message: 'failed without a reason' },
  ],
  ['key returns a number', { limit: 1, key: (() => 5) as never }, { code: 'ERR_HEADGATE_KEY' }],
  ['key returns null', { limit: 1, key: (() => null) as never }, { code: 'ERR_HEADGATE_KEY' }],
  [
    'key returns a promise',
    { limit: 1, key: (() => Promise.resolve('a')) as never },
    { code: 'ERR_HEADGATE_KEY' },
  ],
  [
    'weight returns NaN',
    { limit: 1, weight: () => Number.NaN },
    { code: 'ERR_HEADGATE_WEIGHT', option: 'weight' },
  ],
  [
    'weight returns a fraction',
    { limit: 3, weight: () => 1.5 },
    { code: 'ERR_HEADGATE_WEIGHT', option: 'weight' },
  ],
  [
    'weight returns a string',
    { limit: 1, weight: (() => '1') as never },
    { code: 'ERR_HEADGATE_WEIGHT', option: 'weight' },
  ],
  [
    'limit returns NaN',
    { limits: [{ name: 'a', limit: () => Number.NaN, key: () => 'k' }] },
    { option: 'limit' },
  ],
  [
    'weight returns a bigint',
    { limit: 1, weight: (() => 1n) as never },
    { code: 'ERR_HEADGATE_WEIGHT', option: 'weight' },
  ],
  [
    'a later weight returns NaN',
    {
      limits: [
        { name: 'user', limit: 1, key: () => 'k' },
        { name: 'app', limit: 1, weight: () => Number.NaN },
      ],
    },
    { code: 'ERR_HEADGATE_WEIGHT' },
  ],
];

function closedLimiter(): object {
  const limiter = createLimiter({ limit: 1 });
  limiter.close();
  return limiter;
}

/** Invalid options that are detected when the middleware is created. */
const misuses: [string, object, object][] = [
  ['an unknown option', { limit: 1, queuLimit: 1 }, { option: 'queuLimit' }],
  [
    'an unknown option of a limit',
    { limits: [{ name: 'a', limit: 1, kee: 1 }] },
    { option: 'kee' },
  ],
  ['no limit', {}, {}],
  ['no limits', { limits: [] }, { option: 'limits' }],
  [
    'an unknown method',
    { limit: 1, route: 'PSOT /r' },
    { code: 'ERR_HEADGATE_ROUTE', message: expect.stringContaining('did you mean POST?') },
  ],
  ['a queueTimeout without a queue', { limit: 1, queueTimeout: 5 }, { option: 'queueLimit' }],
  ['a closed limiter', { limiter: closedLimiter() }, { option: 'limiter' }],
  ['an unknown observer callback', { limit: 1, observer: { reject() {} } }, { option: 'reject' }],
  ['a limit of 0', { limit: 0 }, { option: 'limit' }],
  ['a limit that is a string', { limit: '5' }, { option: 'limit' }],
  ['a fractional limit', { limit: 1.5 }, { option: 'limit' }],
  ['a negative queueLimit', { limit: 1, queueLimit: -1 }, { option: 'queueLimit' }],
  ['a queueTimeout of NaN', { limit: 1, queueTimeout: Number.NaN }, { option: 'queueTimeout' }],
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
  [
    'a queueLimit for a limit without one for the gate',
    { limits: [{ name: 'a', limit: 1, queueLimit: 5 }] },
    { option: 'queueLimit' },
  ],
  ['a keyed limiter without a key', { limiter: createLimiter({ limit: 1, perKey: true }) }, {}],
  ['a key for an unkeyed limiter', { limiter: createLimiter({ limit: 1 }), key: () => 'k' }, {}],
  ['a fairBy that is not a function', { limit: 1, fairBy: 'user' }, { option: 'fairBy' }],
  ['shares without shareBy', { limit: 1, shares: { gold: 0.5 } }, { option: 'shareBy' }],
  ['shareBy without shares', { limit: 1, shareBy: () => 'gold' }, { option: 'shareBy' }],
  [
    'shares that add to more than 1',
    { limit: 1, shares: { gold: 0.6, free: 0.5 }, shareBy: () => 'gold' },
    { option: 'shares' },
  ],
  [
    'shares next to a limiter',
    { limiter: createLimiter({ limit: 1 }), shares: { gold: 0.6 }, shareBy: () => 'gold' },
    { option: 'shares' },
  ],
  ['a negative queueWeight', { limit: 1, queueWeight: -1 }, { option: 'queueWeight' }],
  ['a random that is not a function', { limit: 1, random: 0.5 }, { option: 'random' }],
  ['a negative maxRetryAfter', { limit: 1, maxRetryAfter: -1 }, { option: 'maxRetryAfter' }],
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

export function mistakes(world: World): void {
  it.each(bugs)(
    "passes an error to the framework's error handling when %s",
    async (_, options, error) => {
      let handled = 0;
      const limit = world.limit(options);
      const app = await world.serve(
        { use: limit },
        {
          handle(context) {
            handled++;
            return ok(context);
          },
        },
      );
      for (const round of [1, 2]) {
        expect(await app.call().answer()).toMatchObject({ status: 500 });
        expect(app.errors).toHaveLength(round);
        expect(app.errors[0]).toMatchObject(error === bug ? { message: bug.message } : error);
      }
      expect(handled).toBe(0);
      const { inflight, queued, limits } = limit.stats();
      expect([inflight, queued, ...limits.map((each) => each.inflight)].every((n) => n === 0)).toBe(
        true,
      );
      expect(limits.every(({ keys }) => keys === 0)).toBe(true);
    },
  );

  it('treats an undefined option as omitted', () => {
    const plain = { limit: undefined, limiter: undefined, key: undefined, weight: undefined };
    const limits = [{ ...plain, name: 'app', limit: 1 }];
    const options = { ...plain, limits, queueLimit: undefined } as unknown as SuiteOptions;
    expect(world.limit(options).queued).toBe(0);
  });

  it.each(misuses)('throws for %s when it is created', (_, options, error) => {
    const create = () => world.limit(options as SuiteOptions);
    const code = expect.stringMatching(/^ERR_HEADGATE_/);
    expect(create).toThrow(expect.objectContaining({ code, ...error }));
  });
}
