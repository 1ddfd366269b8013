import { expect, it } from 'vitest';
import type { SuiteOptions } from '../framework.ts';
import { ok } from '../kit/handlers.ts';
import type { World } from '../kit/world.ts';
import { invalidOptions } from './invalid-options.ts';

const bug = new Error('a bug of the app');

function broken(): never {
  throw bug;
}

function throwUndefined(): never {
  throw undefined;
}

/** A function that returns a promise, which resolves or rejects. Nothing awaits it. */
function promises(option: string, others: object): [string, SuiteOptions, object][] {
  const error = {
    code: 'ERR_HEADGATE_PROMISE',
    option,
    message: expect.stringContaining('"A plan from a database"'),
  };
  return [async () => 'a', async () => broken()].map((returns, index) => [
    `${option} returns a promise that ${index === 0 ? 'resolves' : 'rejects'}`,
    { ...others, [option]: returns } as SuiteOptions,
    error,
  ]);
}

/** Mistakes in the app's functions at run time, and the error that the framework receives. */
const bugs: [string, SuiteOptions, object][] = [
  ['key throws', { limit: 1, key: broken }, bug],
  ['weight throws', { limit: 1, weight: broken }, bug],
  ['priority throws', { limit: 1, queueLimit: 1, priority: broken }, bug],
  [
    'priority returns an unknown priority',
    { limit: 1, queueLimit: 1, priority: (() => 'urgent') as never },
    { code: 'ERR_HEADGATE_OPTION', option: 'priority' },
  ],
  ['fairBy throws', { limit: 1, queueLimit: 1, fairBy: broken }, bug],
  ...[true, null].map((fairBy): [string, SuiteOptions, object] => [
    `fairBy returns ${JSON.stringify(fairBy)}`,
    { limit: 1, queueLimit: 1, fairBy: () => fairBy as never },
    { code: 'ERR_HEADGATE_KEY', option: 'fairBy' },
  ]),
  [
    'shares.by throws',
    { limit: 1, queueLimit: 1, shares: { parts: { gold: 0.5 }, by: broken } },
    bug,
  ],
  [
    'shares.by returns an unknown share',
    { limit: 1, queueLimit: 1, shares: { parts: { gold: 0.5 }, by: () => 'silver' } },
    { code: 'ERR_HEADGATE_OPTION', option: 'shares.by' },
  ],
  ['queueTimeout throws', { limit: 1, queueTimeout: broken }, bug],
  ['queueTimeout of the default limit throws', { queueTimeout: broken }, bug],
  ...[Number.NaN, -1, '1000', null].map((timeout): [string, SuiteOptions, object] => [
    `queueTimeout returns ${typeof timeout === 'number' ? timeout : JSON.stringify(timeout)}`,
    { limits: [{ name: 'a', limit: 1, key: () => 'k' }], queueTimeout: () => timeout as never },
    { code: 'ERR_HEADGATE_OPTION', option: 'queueTimeout' },
  ]),
  ...promises('queueTimeout', { limit: 1 }),
  ['skip throws', { limit: 1, skip: broken }, bug],
  ...promises('skip', { limit: 1 }),
  ...promises('key', { limit: 1 }),
  ...promises('limit', { key: () => 'k' }),
  ...promises('weight', { limit: 1 }),
  ...promises('priority', { limit: 1, queueLimit: 1 }),
  ...promises('fairBy', { limit: 1, queueLimit: 1 }),
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
  ['key returns NaN', { limit: 1, key: () => Number.NaN }, { code: 'ERR_HEADGATE_KEY' }],
  ['key returns Infinity', { limit: 1, key: () => Infinity }, { code: 'ERR_HEADGATE_KEY' }],
  ['key returns null', { limit: 1, key: (() => null) as never }, { code: 'ERR_HEADGATE_KEY' }],
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
      const { holders, queued, limits } = limit.stats();
      expect([holders, queued, ...limits.map((each) => each.inflight)].every((n) => n === 0)).toBe(
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

  it.each(invalidOptions)('throws for %s when it is created', (_, options, error) => {
    const create = () => world.limit(options as SuiteOptions);
    const code = expect.stringMatching(/^ERR_HEADGATE_/);
    expect(create).toThrow(expect.objectContaining({ code, ...error }));
  });
}
