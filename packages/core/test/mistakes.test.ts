import { once } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import { memoryStore } from '@headgate/store-kit/memory-store';
import { Caller } from '@headgate/test-kit/caller';
import { describe, expect, it } from 'vitest';
import { HttpGate } from '../src/http/http-gate.ts';
import {
  byPriority,
  createGate,
  createLimiter,
  HeadgateError,
  ipKey,
  type Permit,
} from '../src/index.ts';
import { nearest, suggestionFor } from '../src/suggestion.ts';

const store = () => memoryStore();
const guard = { name: 'guard', admits: () => true };
const one = { name: 'one', limit: 2 };
const order = byPriority();

/** Everything that permits can be acquired from, each with free capacity. */
const sources = {
  'a limiter': () => createLimiter({ limit: 2, queueLimit: 9, order }),
  'a limiter with a store': () => createLimiter({ ...one, queueLimit: 9, store: store() }),
  'a gate of one limit': () => createGate({ limits: [one], queueLimit: 9 }),
  'a gate of several': () =>
    createGate({ limits: [one, { name: 'two', limit: 2 }], queueLimit: 9 }),
  'a guarded gate': () => createGate({ limits: [one], guard, queueLimit: 9 }),
};

describe.each(Object.entries(sources))('%s', (_, create) => {
  it.each([
    [{ queuTimeout: 5 }, 'queuTimeout'],
    [{ priority: 'urgent' }, 'priority'],
    [{ queueTimeout: -1 }, 'queueTimeout'],
    [{ fairBy: 5 }, 'fairBy'],
    [null, 'acquire'],
  ])('rejects acquire and run with %j, even with free capacity', async (options, option) => {
    const source = create();
    const error = { code: expect.stringMatching(/^ERR_HEADGATE_(UNKNOWN_)?OPTION$/) };
    const named = option === 'acquire' ? error : { ...error, option };
    await expect(source.acquire(options as never)).rejects.toMatchObject(named);
    await expect(source.run(() => 1, options as never)).rejects.toMatchObject(named);
    expect([source.holders, source.queued]).toEqual([0, 0]);
  });

  it.each([Promise.resolve(1), null, undefined, 'work'])('rejects to run %j', async (fn) => {
    const source = create();
    const error = { code: 'ERR_HEADGATE_OPTION', option: 'fn' };
    await expect(source.run(fn as never)).rejects.toMatchObject(error);
    expect([source.holders, source.queued]).toEqual([0, 0]);
  });

  it('release() with an unknown outcome releases the permit and throws', async () => {
    const source = create();
    const permit: Permit = await source.acquire();
    const release = () => permit.release('failed' as never);
    expect(release).toThrow(expect.objectContaining({ option: 'outcome' }));
    expect(release).not.toThrow();
    expect(source.holders).toBe(0);
  });

  it.each([{ timeout: Number.NaN }, { timeout: -1 }, { timout: 5 }])(
    'a limiter stays open after a close() that rejects %j',
    async (options) => {
      const source = create();
      await expect(source.close(options as never)).rejects.toBeInstanceOf(HeadgateError);
      expect(await source.run(() => 'open')).toBe('open');
      expect(await source.close()).toBe(0);
    },
  );
});

it.each([
  ['queuLimit', 'queueLimit'],
  ['maxhold', 'maxHold'],
  ['qeueuTimeout', 'queueTimeout'],
  ['limits', 'limit'],
  ['ordre', 'order'],
  ['x', undefined],
  ['concurrency', undefined],
  ['', undefined],
])('for %j the suggestion is %j', (name, meant) => {
  const known = ['limit', 'name', 'queueLimit', 'queueTimeout', 'order', 'maxHold', 'key'];
  expect(nearest(name, known)).toBe(meant);
});

it('the error for an unknown option suggests a similar one', () => {
  const create = () => createLimiter({ limit: 1, queuLimit: 5 } as never);
  expect(create).toThrow('createLimiter has no option "queuLimit"; did you mean "queueLimit"?');
  expect(() => createLimiter({ limit: 1, colour: 5 } as never)).toThrow(
    /^createLimiter has no option "colour"; it knows .*queueLimit/,
  );
  expect(() => createLimiter({ limit: 1, key: () => 'a' } as never)).toThrow(
    'createLimiter has no option "key"; did you mean "perKey"?',
  );
});

it.each([
  ['max', 'limit'],
  ['concurrency', 'limit'],
  ['perKey', 'key'],
  ['keyGenerator', 'key'],
  ['queueSize', 'queueLimit'],
  ['redis', 'store'],
])(
  'for %s, an option of other libraries or of createLimiter, the suggestion is %s',
  (name, meant) => {
    expect(suggestionFor(name, ['limit', 'key', 'queueLimit', 'store'])).toBe(meant);
    expect(suggestionFor(name, ['order'])).toBeUndefined();
  },
);

it('a plain observer with an unknown callback throws; a class instance may have further members', () => {
  const limiter = createLimiter({ limit: 1 });
  const observe = () => limiter.observe({ reject: () => {} } as never);
  const error = { code: 'ERR_HEADGATE_UNKNOWN_OPTION', option: 'reject' };
  expect(observe).toThrow(expect.objectContaining(error));
  expect(observe).toThrow('did you mean "rejected"?');
  class Metrics {
    count = 0;
    admitted(): void {
      this.count++;
    }
  }
  const metrics = new Metrics();
  limiter.observe(metrics);
  limiter.tryAcquire();
  expect(metrics.count).toBe(1);
});

it.each(['a limiter', 'a limiter with a store'] as const)(
  'createGate() throws for %s that has been closed',
  async (kind) => {
    const limiter = sources[kind]() as ReturnType<typeof createLimiter>;
    expect(limiter.closed).toBe(false);
    await limiter.close();
    expect(limiter.closed).toBe(true);
    const error = { code: 'ERR_HEADGATE_OPTION', option: 'limits[0].limiter' };
    expect(() => createGate({ limits: [{ limiter }] })).toThrow(expect.objectContaining(error));
  },
);

it('`limits` over HTTP must be an array', () => {
  const make = () => new HttpGate({ limits: { a: 3 } } as never, {} as never);
  expect(make).toThrow(expect.objectContaining({ code: 'ERR_HEADGATE_OPTION', option: 'limits' }));
});

it('ipKey throws for a value that is not a string', () => {
  const error = { code: 'ERR_HEADGATE_OPTION', option: 'address' };
  expect(() => ipKey(5 as never)).toThrow(expect.objectContaining(error));
});

it('an asynchronous guard throws an error, and its rejection does not end the process', async () => {
  const own = { name: 'own', admits: () => Promise.reject(new Error('later')) };
  const gate = createGate({ limits: [], guard: own as never });
  const unhandled = once(process, 'unhandledRejection').then(() => 'unhandled');
  await expect(gate.acquire()).rejects.toMatchObject({ option: 'guard.admits' });
  expect(await Promise.race([unhandled, turn('handled')])).toBe('handled');
});

it.each([
  ['queue', 'queueLimit'],
  ['timeout', 'queueTimeout'],
  ['maxConcurrent', 'limit'],
  ['activeLimit', 'limit'],
])('%s, as other libraries name it, is an error that suggests %s', (name, meant) => {
  const create = () => createLimiter({ limit: 1, [name]: 1 } as never);
  expect(create).toThrow(`createLimiter has no option "${name}"; did you mean "${meant}"?`);
});

it('an error names the section of the documentation that explains it', () => {
  const help = '@headgate/core/docs/errors.md#err_headgate_option';
  expect(() => createLimiter({ limit: 0 })).toThrow(expect.objectContaining({ help }));
});

it('many waiters with one signal add one listener and cause no leak warning', async () => {
  const limiter = createLimiter({ limit: 1, queueLimit: 99 });
  const controller = new AbortController();
  const { signal } = controller;
  const warned = once(process, 'warning').then(([warning]) => warning);
  const held = limiter.tryAcquire();
  const waiting = Array.from({ length: 30 }, () => limiter.acquire({ signal }));
  const results = Promise.allSettled(waiting);
  held?.release();
  expect(limiter.queued).toBe(29);
  controller.abort(new Error('enough'));
  expect([limiter.queued, limiter.stats().withdrawn]).toEqual([0, 29]);
  expect((await results).filter(({ status }) => status === 'rejected')).toHaveLength(29);
  (await waiting[0])?.release();
  expect(limiter.inflight).toBe(0);
  expect(await Promise.race([warned, turn(undefined)])).toBeUndefined();
});

describe('options that would have no effect', () => {
  it.each(['signal', 'queueTimeout', 'priority', 'fairBy'])('tryAcquire refuses %s', (option) => {
    const values = { signal: AbortSignal.abort(), queueTimeout: 5, priority: 'high', fairBy: 'a' };
    const limiter = createLimiter({ limit: 1 });
    const options = { [option]: values[option as keyof typeof values] } as never;
    const error = { code: 'ERR_HEADGATE_UNKNOWN_OPTION', option };
    expect(() => limiter.tryAcquire(options)).toThrow(expect.objectContaining(error));
    expect(limiter.inflight).toBe(0);
  });

  it.each(['queueLimit', 'queueTimeout'])('a gate with only a guard refuses %s', (option) => {
    const create = () => createGate({ limits: [], guard, [option]: 5 });
    expect(create).toThrow(`${option} must be omitted if there is only a guard`);
  });
});

describe('what a request demands of the limits of a gate', () => {
  const keyed = () =>
    createGate({
      limits: [
        { name: 'account', limit: 1, perKey: true },
        { name: 'app', limit: 9 },
      ],
    });

  it.each([
    { keys: new Map([['account', 'x']]) },
    { keys: true },
    { keys: ['x'] },
    { weights: 5 },
    { shares: 'a' },
  ])('must be an object: %j', async (options) => {
    const [option = ''] = Object.keys(options);
    const error = { code: 'ERR_HEADGATE_OPTION', option };
    await expect(keyed().acquire(options as never)).rejects.toMatchObject(error);
  });

  it('may not be null for a weight', async () => {
    const options = { weights: { app: null } } as never;
    const error = { code: 'ERR_HEADGATE_WEIGHT', option: 'weight' };
    await expect(keyed().acquire(options)).rejects.toMatchObject(error);
  });
});

it('a guarded gate refuses an invalid priority before it asks the guard', () => {
  const gate = createGate({
    limits: [one],
    guard: { ...guard, admits: (priority) => priority.length > 0 },
  });
  const waiter = new Caller();
  waiter.priority = undefined as never;
  const error = { code: 'ERR_HEADGATE_OPTION', option: 'priority' };
  expect(() => gate.request(waiter, [])).toThrow(expect.objectContaining(error));
});
