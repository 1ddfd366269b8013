import { expect, it } from 'vitest';
import { misplaced } from '../src/http/misuse.ts';
import {
  adaptive,
  createGate,
  createLimiter,
  defaultLimit,
  fifo,
  guard,
  map,
} from '../src/index.ts';
import { http, keyed, limit, limiter, messageOf, shared, work } from './message-of.ts';

const gate = () => createGate({ limits: [limit], queueLimit: 9 });
const gates = {
  'of one limit': gate,
  'of several': () => createGate({ limits: [limit, { name: 'two', limit: 2 }] }),
  guarded: () => createGate({ limits: [limit], guard: { name: 'guard', admits: () => true } }),
};

const mistakes: [string, () => unknown, string][] = [
  ['limit: 10n', () => createLimiter({ limit: 10n as never }), 'got 10n'],
  [
    'NaN as a key',
    () => keyed().acquire({ key: Number.NaN }),
    'key must be a string or a finite number, got NaN',
  ],
  [
    'a promise as a key',
    () => keyed().acquire({ key: Promise.resolve('a') as never }),
    'key must be a string or a finite number, got a promise: await it before the limit, as "A plan from a database" shows (@headgate/core/docs/limit-per-tenant.md)',
  ],
  [
    'a promise instead of a function',
    () => limiter().run(Promise.resolve(1) as never),
    'fn must be a function, got a promise',
  ],
  [
    'no key',
    () => keyed().acquire(),
    'key must be a string, as limiter "unnamed" is keyed, got undefined',
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
    'limit must be a whole number or adaptive() when there is no key, got a function',
  ],
  [
    'guard: guard',
    () => http({ guard }),
    'guard must be a guard such as guard(), or an object with a name and a method admits, got a function that was not called',
  ],
  [
    'classify without an adaptive limit',
    () => http({ ...limit, classify: work }),
    'classify must be omitted unless a limit is adaptive, got a function',
  ],
  [
    'shares without parts',
    () => http({ ...limit, shares: { by: work } }),
    'shares.parts must be an object with a part for each name, got undefined',
  ],
  [
    'shares without by',
    () => http({ ...limit, shares: { parts: { gold: 0.5 } } }),
    'shares.by must be a function, got undefined',
  ],
  [
    'the parts of shares without their name',
    () => http({ ...limit, shares: { gold: 0.5 } }),
    'shares has no option "gold"; it knows parts, by',
  ],
  [
    'shares of a limiter without byShare()',
    () => http({ limiter: limiter(), shares: { by: work } }),
    'shares must be omitted when the limiter has no shares',
  ],
  [
    'parts next to a limiter',
    () => http({ limiter: limiter(), shares: { parts: { gold: 0.5 }, by: work } }),
    'shares.parts is an option of the limiter itself: omit it when limiter is set',
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
  [
    'a clock without now()',
    () => createLimiter({ ...limit, clock: {} as never }),
    'clock.now must be a function, got undefined',
  ],
  [
    'limiter: a middleware',
    () => http({ limiter: Object.assign(work, { limiters: {} }) }),
    'limiter must be a limiter, such as one of its limiters, got a function that was not called',
  ],
  [
    'limiter: a gate',
    () => createGate({ limits: [{ limiter: createGate({ limits: [limit] }) as never }] }),
    'limits[0].limiter must be a limiter, such as one of its limiters, got a value of type Object',
  ],
  [
    'priority inside limits',
    () => http({ limits: [{ ...limit, priority: work }] }),
    'limits[0].priority must be set next to limits',
  ],
  [
    'NaN as a key of a gate',
    () =>
      createGate({ limits: [{ ...limit, perKey: true }] }).run(work, { keys: { one: Number.NaN } }),
    'key must be a string or a finite number, got NaN',
  ],
  [
    'defaultLimit() with a key',
    () => http({ limit: defaultLimit(), key: work }),
    'limit must be a whole number when the limit is keyed',
  ],
  [
    'a guard with a name',
    () => http({ guard: guard({ name: 'own', delay: () => 0, target: 1 }), name: 'app' }),
    'limit must be set: only a middleware without limits, guard',
  ],
];

const gold = { shares: { parts: { gold: 0.5 }, by: work } };

it.each([
  ['order', () => createGate({ limits: [limit], order: fifo() })],
  ['fairBy and priority', () => http({ ...limit, fairBy: work, priority: work })],
  ['shares', () => http({ limits: [{ ...limit, ...gold }] })],
  ['without a queue', () => http({ ...limit, ...gold, fairBy: work, queueLimit: 0 })],
])('a limit needs no other option of its queue: %s', (_, create) => {
  create();
});

it.each(mistakes)('%s is explained', async (_, mistake, message) => {
  const text = await messageOf(mistake);
  expect(text).toContain(message);
  if (message.endsWith('got a function')) expect(text.endsWith(message)).toBe(true);
});

it('the error of an unknown method in a route suggests one only if it resembles it', async () => {
  const of = (route: string) => messageOf(() => http({ ...limit, route }));
  expect(await of('GTE /reports')).toMatch(/there is no method GTE; did you mean GET\?$/);
  expect(await of('EXTERMINATE /reports')).toMatch(/there is no method EXTERMINATE$/);
});

it.each([undefined, null, 5])('a middleware that is called with %s is explained', (first) => {
  const { code, message } = misplaced('@headgate/koa', first);
  expect([code, message]).toEqual([
    'ERR_HEADGATE_MIDDLEWARE',
    'the middleware of @headgate/koa was called with unexpected arguments: use it in an app of its framework, or limit the work itself with createLimiter()',
  ]);
});

it('a middleware of a framework that is called with a web-standard request names the right package', () => {
  const { message } = misplaced('@headgate/express', new Request('http://localhost/'));
  expect(message).toMatch(/by another framework or server: use @headgate\/web$/);
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
