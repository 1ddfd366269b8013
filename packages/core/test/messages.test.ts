import { describe, expect, it } from 'vitest';
import { HttpGate } from '../src/http/http-gate.ts';
import { adaptive, byShare, createGate, createLimiter, map } from '../src/index.ts';
import { memoryStore } from '../src/memory-store/index.ts';
import { eventLoopGuard } from '../src/node/index.ts';

const limit = { name: 'one', limit: 2 };
const limiter = () => createLimiter({ ...limit, queueLimit: 9 });
const shared = () => createLimiter({ ...limit, queueLimit: 9, store: memoryStore() });
const keyed = () => createLimiter({ limit: 1, perKey: true });
const gate = () => createGate({ limits: [limit], queueLimit: 9 });
const gates = {
  'of one limit': gate,
  'of several': () => createGate({ limits: [limit, { name: 'two', limit: 2 }] }),
  guarded: () => createGate({ limits: [limit], guard: { name: 'guard', admits: () => true } }),
};
const work = () => 1;
const framework = { compile: () => () => true } as never;
const http = (options: unknown) => new HttpGate(options as never, framework);
const listed = (...limits: object[]) => ({ limits });

/** What the mistake causes: thrown, or the reason of a rejected promise. */
async function messageOf(mistake: () => unknown): Promise<string> {
  try {
    await mistake();
  } catch (error) {
    expect(error).toMatchObject({ name: 'HeadgateError' });
    return (error as Error).message;
  }
  return expect.unreachable('was accepted');
}

const mistakes: [string, () => unknown, string][] = [
  ['limit: 10n', () => createLimiter({ limit: 10n as never }), 'got 10n'],
  [
    'a number as a key',
    () => keyed().acquire({ key: 5 as never }),
    'key must be a string, as limiter "default" is keyed, got 5',
  ],
  [
    'no key',
    () => keyed().acquire(),
    'key must be a string, as limiter "default" is keyed, got undefined',
  ],
  [
    'acquire(2)',
    () => limiter().acquire(2 as never),
    'the options of acquire must be an object, got 2',
  ],
  ['close(5000)', () => limiter().close(5000 as never), 'the options of close must be an object'],
  ['map(x, f, 3)', () => map([1], work, 3 as never), 'the options of map must be an object, got 3'],
  [
    'concurrencyLimit()',
    () => http(undefined),
    'the options of concurrencyLimit must be an object',
  ],
  [
    'concurrencyLimit([])',
    () => http([]),
    'the options of concurrencyLimit must be an object, got an array of 0',
  ],
  [
    'map without a function',
    () => map([1], { limit: 2 } as never, undefined as never),
    'fn must be a function',
  ],
  [
    'map over a number',
    () => map(5 as never, work, { limit: 1 }),
    'items must be an iterable or an async iterable, got 5',
  ],
  [
    'map over nothing',
    () => map(undefined as never, work, { limit: 1 }),
    'items must be an iterable',
  ],
  [
    'run of a store with an unknown option',
    () => shared().run(work, { kee: 1 } as never),
    'run has no option "kee"',
  ],
  [
    'limit: adaptive',
    () => createLimiter({ limit: adaptive as never }),
    'limit must be a whole number of at least 1, got a function that was not called',
  ],
  [
    'limit: adaptive over HTTP',
    () => http({ limit: adaptive }),
    'adaptive() when there is no key, got a function that was not called',
  ],
  [
    'guard: eventLoopGuard',
    () => http({ guard: eventLoopGuard }),
    'guard must be a guard such as eventLoopGuard(), or an object with a name and a method admits, got a function that was not called',
  ],
  [
    'classify without an adaptive limit',
    () => http({ ...limit, classify: work }),
    'classify must be omitted unless a limit is adaptive, got a function',
  ],
  [
    'shareBy without shares',
    () => http({ ...limit, shareBy: work }),
    'shareBy must be omitted when the limit has no shares, got a function',
  ],
  [
    'an adaptive limit with a key',
    () => http({ limit: adaptive(), key: work }),
    'limit must be a whole number when the limit is keyed, got a value of type Object',
  ],
  [
    'tryAcquire(2)',
    () => limiter().tryAcquire(2 as never),
    'the options of tryAcquire must be an object, got 2',
  ],
  [
    'tryAcquire with a misspelt option',
    () => limiter().tryAcquire({ wieght: 2 } as never),
    'tryAcquire has no option "wieght"',
  ],
  [
    'store: a URL',
    () => createLimiter({ ...limit, store: 'redis://me:pass@host' as never }),
    'store must be a store such as redisStore({ client }), got "a string"',
  ],
  [
    'store: a client',
    () => createLimiter({ ...limit, store: { sendCommand: work } as never }),
    'store must be a store such as redisStore({ client }), got a value of type Object',
  ],
];

it.each(mistakes)('%s is explained', async (_, mistake, message) => {
  const text = await messageOf(mistake);
  expect(text).toContain(message);
  if (message.endsWith('got a function')) expect(text.endsWith(message)).toBe(true);
});

it('the error for a key with a store that supports no keys names the option as the app wrote it', async () => {
  const store = Object.assign(memoryStore(), { can: { ...memoryStore().can, keys: false } });
  const options = { ...limit, store };
  const message = 'key must be omitted with this store, which has no keys, got a function';
  expect(await messageOf(() => http({ ...options, key: work }))).toContain(message);
  expect(await messageOf(() => http(listed({ ...options, key: work })))).toContain(
    `limits[0].${message}`,
  );
  expect(await messageOf(() => createLimiter({ ...options, perKey: true }))).toMatch(
    /^perKey must/,
  );
});

it.each(Object.entries(gates))('the errors of run() of a gate %s name run', async (_, create) => {
  const message = await messageOf(() => create().run(work, { key: 'x' } as never));
  expect(message).toContain('run has no option "key"');
  expect(message).toContain('did you mean "keys"?');
});

it.each([
  ['acquire', (options: object) => limiter().acquire(options)],
  ['run', (options: object) => limiter().run(work, options)],
  ['acquire of a store', (options: object) => shared().acquire(options)],
  ['acquire of a gate', (options: object) => gate().acquire(options)],
  ['run of a gate', (options: object) => gate().run(work, options)],
  ['close', (options: object) => limiter().close(options)],
  ['close of a gate', (options: object) => gate().close(options)],
  ['map', (options: object) => map([1], work, { limit: 1, ...options })],
])('%s refuses an AbortController and null instead of a signal', async (_, call) => {
  expect(await messageOf(() => call({ signal: new AbortController() }))).toContain(
    'signal must be an AbortSignal, got a value of type AbortController',
  );
  expect(await messageOf(() => call({ signal: null }))).toMatch(
    /^signal must be (an AbortSignal|set or omitted), got null/,
  );
});

describe('an error inside limits names the entry', () => {
  it.each([
    [{ name: 'b', limit: 0 }, 'limits[1].limit must be a whole number'],
    [{ limit: 1 }, 'limits[1].name must be a string'],
    [{ name: 'b', limit: 1, queueWeight: -1 }, 'limits[1].queueWeight must be'],
    [{ name: 'b', limit: 1, kee: 1 }, 'limits[1] has no option "kee"'],
    [{ name: 'b', limit: null }, 'limits[1].limit must be set or omitted, got null'],
    [5, 'the options of limits[1] must be an object, got 5'],
  ])('%j', async (entry, message) => {
    const options = listed(limit, entry as object);
    expect(await messageOf(() => createGate(options as never))).toContain(message);
    expect(await messageOf(() => http(options))).toContain(message);
  });

  it.each([
    [{ name: 'b', limit: 1, statusCode: 50 }, 'limits[1].statusCode must be'],
    [{ name: 'b', limit: 1, shares: { a: 2 }, shareBy: work }, 'limits[1].shares'],
    [{ name: 'b', limit: 1, route: 'x' }, 'limits[1].route "x" cannot be parsed'],
    [{ limiter: limiter(), limit: 5 }, 'limits[1].limit is an option of the limiter itself'],
  ])('over HTTP: %j', async (entry, message) => {
    expect(await messageOf(() => http(listed(limit, entry)))).toContain(message);
  });

  it('a limiter instead of the options is named as such', async () => {
    expect(await messageOf(() => http(limiter()))).toBe(
      'concurrencyLimit takes a limiter as { limiter }',
    );
    const options = listed(limit, limiter());
    const message = 'limits[1] takes a limiter as { limiter }';
    expect(await messageOf(() => http(options))).toBe(message);
    expect(await messageOf(() => createGate(options as never))).toBe(message);
  });

  it('the error of an option outside limits names no entry', async () => {
    const bad = { clock: 5, maxRetryAfter: 1 };
    expect(await messageOf(() => createGate({ limits: [limit], ...bad } as never))).toMatch(
      /^clock must/,
    );
    expect(await messageOf(() => http({ limit: 0 }))).toMatch(/^limit must/);
    expect(await messageOf(() => http({ limit: 1, weight: 0 }))).toMatch(/^weight must/);
    expect(await messageOf(() => http({ limit: 1, shares: { a: 2 }, shareBy: work }))).toMatch(
      /^shares/,
    );
    // The order of the middleware, which cannot be inside the entry's shares.
    const shares = { name: 'b', limit: 1, shares: { a: 1 }, shareBy: work };
    const order = byShare({ a: 1 });
    expect(await messageOf(() => http({ ...listed(limit, shares), order }))).toMatch(/^order must/);
  });
});

describe('null is refused for every option', () => {
  const ofLimiter = [
    'limit',
    'name',
    'store',
    'perKey',
    'queueLimit',
    'queueWeight',
    'queueTimeout',
  ];
  const common = ['order', 'maxHold', 'maxRetryAfter', 'observer', 'clock', 'random'];

  it.each([...ofLimiter, ...common])('createLimiter: %s', async (option) => {
    const message = `${option} must be set or omitted, got null`;
    expect(await messageOf(() => createLimiter({ limit: 1, [option]: null }))).toBe(message);
  });

  it.each(['limits', 'guard', 'name', 'mode', 'queueLimit', 'queueTimeout', ...common])(
    'createGate: %s',
    async (option) => {
      const options = { limits: [limit], [option]: null } as never;
      expect(await messageOf(() => createGate(options))).toContain(
        `${option} must be set or omitted, got null`,
      );
    },
  );

  it.each(['name', 'mode', 'key', 'skip', 'onReject', 'headers', 'fairBy', ...common])(
    'over HTTP: %s',
    async (option) => {
      const message = await messageOf(() => http({ limit: 1, [option]: null }));
      expect(message).toContain(`${option} must be set or omitted, got null`);
    },
  );

  it.each(['key', 'weight', 'limit', 'share', 'fairBy', 'priority', 'queueTimeout'])(
    'acquire and run: %s',
    async (option) => {
      for (const create of [limiter, keyed, shared]) {
        const key = create === keyed ? 'k' : undefined;
        const options = { key, [option]: null };
        for (const call of [() => create().acquire(options), () => create().run(work, options)]) {
          expect(await messageOf(call)).toMatch(
            RegExp(`^${option} must be .*got null$|is not keyed`),
          );
        }
      }
    },
  );
});
