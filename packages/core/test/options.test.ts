import { describe, expect, it } from 'vitest';
import { createGate, createLimiter, HeadgateError } from '../src/index.ts';

const text = (value: unknown) =>
  typeof value === 'string'
    ? JSON.stringify(value)
    : `${value}${typeof value === 'bigint' ? 'n' : ''}`;

const badCounts = [0, -1, 1.5, Number.NaN, '3', [], {}, 2 ** 60, true, 3n];
const duration = 'a number of milliseconds, 0 or more';
const bound = 'a whole number of at least 0, or Infinity';

/** Each option with its expected value, and invalid values. */
const common: [option: string, expected: string, bad: unknown[]][] = [
  ['queueLimit', bound, [-1, 1.5, Number.NaN, '3', [], true]],
  ['queueTimeout', duration, [-1, Number.NaN, '3', [], true]],
  ['maxHold', 'a number of milliseconds above 0', [0, -1, Number.NaN, '3', [], true]],
  ['name', 'a string that is not empty', ['', 5, {}, true]],
  ['clock', 'an object with the methods now', [5, 'x']],
];

const limiterOnly: typeof common = [
  ['limit', 'a whole number of at least 1', [...badCounts, Infinity, undefined]],
  ['perKey', 'true or false', ['yes', 1]],
];

const gateOnly: typeof common = [
  ['mode', 'one of enforce, shadow', ['', 'SHADOW', 5, true]],
  ['limits', 'an array of at least one limit', [undefined, {}, [], 5]],
];

function errorOf(create: () => unknown): HeadgateError {
  try {
    create();
  } catch (error) {
    if (error instanceof HeadgateError) return error;
    throw error;
  }
  return expect.unreachable('was accepted');
}

function rows(options: typeof common): [string, string, unknown, string][] {
  return options.flatMap(([option, expected, bad]) =>
    bad.map((value): [string, string, unknown, string] => [option, shown(value), value, expected]),
  );
}

function shown(value: unknown): string {
  if (typeof value !== 'object' || value === null) return text(value);
  return Array.isArray(value) ? 'an array of 0' : 'a value of type Object';
}

describe('createLimiter throws an error with the option, the expected value and the actual one', () => {
  it.each(rows([...common, ...limiterOnly]))('%s: %s', (option, got, value, expected) => {
    const error = errorOf(() => createLimiter({ limit: 1, [option]: value }));
    expect(error).toMatchObject({ name: 'HeadgateError', code: 'ERR_HEADGATE_OPTION', option });
    expect(error.message).toContain(`${option} must be ${expected}`);
    expect(error.message).toContain(`got ${got}`);
  });
});

describe('createGate throws an error with the option, the expected value and the actual one', () => {
  it.each(rows([...common, ...gateOnly]))('%s: %s', (option, got, value, expected) => {
    const limits = [{ name: 'app', limit: 1 }];
    const error = errorOf(() => createGate({ limits, [option]: value }));
    expect(error).toMatchObject({ code: 'ERR_HEADGATE_OPTION', option });
    expect(error.message).toContain(`${option} must be ${expected}`);
    expect(error.message).toContain(`got ${got}`);
  });

  it.each<[string, unknown, object]>([
    ['null', null, { option: 'limits[0]' }],
    ['a number', 5, { option: 'limits[0]' }],
    ['no name', { limit: 1 }, { option: 'limits[0].name' }],
    ['no limit', { name: 'a' }, { option: 'limits[0].limit' }],
    ['limit 0', { name: 'a', limit: 0 }, { option: 'limits[0].limit' }],
    ['queueLimit -1', { name: 'a', limit: 1, queueLimit: -1 }, { option: 'limits[0].queueLimit' }],
    ['perKey "no"', { name: 'a', limit: 1, perKey: 'no' }, { option: 'limits[0].perKey' }],
    ['optional 1', { name: 'a', limit: 1, optional: 1 }, { option: 'limits[0].optional' }],
    ['an invalid limiter', { limiter: {} }, { option: 'limits[0].limiter' }],
    ['no limiter', { limiter: undefined }, { option: 'limits[0].name' }],
  ])('in limits: %s', (_, limit, expected) => {
    const error = errorOf(() => createGate({ limits: [limit as never] }));
    expect(error).toMatchObject({ code: 'ERR_HEADGATE_OPTION', ...expected });
  });

  it('refuses a reused limiter in shadow mode', () => {
    const limits = [{ limiter: createLimiter({ limit: 1 }) }];
    const error = errorOf(() => createGate({ limits, mode: 'shadow' }));
    expect(error).toMatchObject({ code: 'ERR_HEADGATE_OPTION', option: 'mode' });
  });
});

describe('a misspelt option is never ignored', () => {
  const code = 'ERR_HEADGATE_UNKNOWN_OPTION';

  it.each<[string, () => unknown, string]>([
    ['createLimiter', () => createLimiter({ limit: 1, queuLimit: 5 } as never), 'queuLimit'],
    [
      'createGate',
      () => createGate({ limits: [{ name: 'a', limit: 1 }], timeout: 5 } as never),
      'timeout',
    ],
    [
      'limits[0]',
      () => createGate({ limits: [{ name: 'a', limit: 1, keyed: true } as never] }),
      'keyed',
    ],
    [
      'limits[0]',
      () => createGate({ limits: [{ limiter: createLimiter({ limit: 1 }), name: 'a' } as never] }),
      'name',
    ],
  ])('%s: %#', (owner, create, option) => {
    const error = errorOf(create);
    expect(error).toMatchObject({ code, option });
    expect(error.message).toContain(`${owner}`);
    expect(error.message).toMatch(
      new RegExp(`has no option "${option}"; (it knows \\w|did you mean ")`),
    );
  });

  it.each([undefined, null, 5, 'limit', []])('options that are %j throw', (options) => {
    expect(errorOf(() => createLimiter(options as never)).option).toBe('createLimiter');
    expect(errorOf(() => createGate(options as never)).option).toBe('createGate');
  });
});

describe('valid options', () => {
  it.each([
    { queueLimit: Infinity, queueTimeout: Infinity, maxHold: Infinity },
    { queueLimit: 0, queueTimeout: 0.5, maxHold: 1.5 },
    { limit: Number.MAX_SAFE_INTEGER, name: 'renders', perKey: false },
    {
      name: undefined,
      queueLimit: undefined,
      maxHold: undefined,
      clock: undefined,
    },
  ])('are accepted: %j', (options) => {
    expect(createLimiter({ limit: 1, ...options }).inflight).toBe(0);
  });

  it('the error shows values shortened and without their content', () => {
    const error = errorOf(() => createLimiter({ limit: 'x'.repeat(500) as never }));
    expect(error.message.length).toBeLessThan(120);
    const secret = errorOf(() => createLimiter({ limit: { secret: 1 } as never }));
    expect(secret.message).not.toContain('secret');
    expect(errorOf(() => createLimiter({ limit: (() => 1) as never })).message).toContain(
      'got a function',
    );
  });
});

it('acquire() rejects an invalid queueTimeout and leaves no waiter in the queue', async () => {
  const gate = createGate({ limits: [{ name: 'a', limit: 1 }], queueLimit: 9 });
  const limiter = createLimiter({ limit: 1, queueLimit: 9 });
  for (const source of [gate, limiter]) {
    await source.acquire();
    for (const queueTimeout of [-1, Number.NaN, '5'] as number[]) {
      await expect(source.acquire({ queueTimeout })).rejects.toMatchObject({
        ...{ code: 'ERR_HEADGATE_OPTION', option: 'queueTimeout' },
      });
    }
    expect(source.queued).toBe(0);
  }
});

it.each([0, -1, 1.5, Number.NaN, '1'])('rejects a weight of %s', async (value) => {
  const weight = value as number;
  const limiter = createLimiter({ limit: 3 });
  const error = { code: 'ERR_HEADGATE_WEIGHT', option: 'weight' };
  expect(errorOf(() => limiter.tryAcquire({ weight }))).toMatchObject(error);
  await expect(limiter.acquire({ weight })).rejects.toMatchObject(error);
  expect(limiter.inflight).toBe(0);
});

it('undefined options count as omitted', () => {
  const limiter = undefined;
  expect(createGate({ limits: [{ name: 'a', limit: 1, limiter }] }).name).toBe('a');
});
