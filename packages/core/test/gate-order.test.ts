import { Caller } from '@headgate/test-kit/caller';
import { describe, expect, it } from 'vitest';
import type { Demands } from '../src/gate/demands.ts';
import type { GateLimitOptions } from '../src/gate/options.ts';
import { createGate, createLimiter } from '../src/index.ts';

const keyed = { name: 'user', limit: 2, perKey: true };
const optional = { name: 'reports', limit: 4, optional: true };
const unconditional = { name: 'app', limit: 100 };
const code = 'ERR_HEADGATE_GATE_ORDER';

const reused = (name: string, perKey = false): GateLimitOptions & { limiter: object } => ({
  limiter: createLimiter({ name, limit: 1, perKey }),
});

describe('order within a gate', () => {
  it.each<[string, GateLimitOptions[]]>([
    ['keyed, optional, unconditional', [keyed, optional, unconditional]],
    ['only keyed limits', [keyed, { ...keyed, name: 'ip' }]],
    ['a keyed limit that is optional', [{ ...keyed, optional: true }, optional]],
    ['reused limiters', [reused('user', true), optional, reused('app')]],
  ])('accepts %s', (_, limits) => {
    expect(Object.keys(createGate({ limits }).limiters)).toHaveLength(limits.length);
  });

  it.each<[string, GateLimitOptions[], string]>([
    ['unkeyed before keyed', [unconditional, keyed], '"app" before "user"'],
    ['optional before keyed', [optional, keyed], '"reports" before "user"'],
    ['unconditional before optional', [keyed, unconditional, optional], '"app" before "reports"'],
    [
      'reused limiters in a wrong order',
      [reused('app'), reused('user', true)],
      '"app" before "user"',
    ],
  ])('rejects %s', (_, limits, which) => {
    const error = { code, option: 'limits', message: expect.stringContaining(which) };
    expect(() => createGate({ limits })).toThrow(expect.objectContaining(error));
  });

  it('a name used twice throws, whether the limiters are reused or not', () => {
    const error = { code: 'ERR_HEADGATE_DUPLICATE_NAME', option: 'name' };
    const limiter = createLimiter({ name: 'app', limit: 1 });
    for (const limits of [
      [unconditional, unconditional],
      [unconditional, { limiter }],
      [{ limiter }, { limiter }],
    ]) {
      expect(() => createGate({ limits })).toThrow(expect.objectContaining(error));
    }
  });

  it('the default name of a gate joins the names of its limits', () => {
    expect(createGate({ limits: [keyed, unconditional] }).name).toBe('user+app');
    expect(createGate({ limits: [keyed, unconditional], name: 'api' }).name).toBe('api');
  });
});

describe('order between gates', () => {
  it('contradictory orders of reused limiters throw', () => {
    const [a, b] = [reused('a'), reused('b')];
    createGate({ limits: [a, b] });
    createGate({ limits: [a, b] });
    const error = { code, option: 'limits', message: expect.stringContaining('"a" before "b"') };
    expect(() => createGate({ limits: [b, a] })).toThrow(expect.objectContaining(error));
  });

  it('an order that contradicts several gates together throws', () => {
    const [a, b, c] = [reused('a'), reused('b'), reused('c')];
    createGate({ limits: [a, b] });
    createGate({ limits: [b, c] });
    expect(() => createGate({ limits: [c, a] })).toThrow(expect.objectContaining({ code }));
    createGate({ limits: [a, c] });
  });

  it('a contradiction is found through any number of other gates', () => {
    const [a, b, c, d, e] = ['a', 'b', 'c', 'd', 'e'].map((name) => reused(name)) as [
      ...[GateLimitOptions, GateLimitOptions, GateLimitOptions, GateLimitOptions, GateLimitOptions],
    ];
    for (const limits of [
      [a, b, d],
      [a, c, d],
      [b, d],
      [c, d],
    ])
      createGate({ limits });
    createGate({ limits: [e, a] });
    expect(() => createGate({ limits: [d, e] })).toThrow(expect.objectContaining({ code }));
    expect(createGate({ limits: [b, c] }).name).toBe('b+c');
  });

  it('limits that gates make themselves never contradict each other, even with equal names', () => {
    const one = { name: 'one', limit: 1 };
    const two = { name: 'two', limit: 1 };
    createGate({ limits: [one, two] });
    expect(createGate({ limits: [two, one] }).name).toBe('two+one');
  });

  it.each<[string, object]>([
    ['another option', { queueLimit: -1 }],
    ['shadow mode', { mode: 'shadow' }],
    ['the name', { name: '' }],
  ])('a gate that was rejected for %s leaves no order behind', (_, wrong) => {
    const [a, b] = [reused('a'), reused('b')];
    expect(() => createGate({ limits: [a, b], ...wrong })).toThrow();
    expect(createGate({ limits: [b, a] }).name).toBe('b+a');
  });
});

describe('the limits that apply to a request', () => {
  const gate = () => createGate({ limits: [keyed, optional, unconditional] });
  const acquiredOf = async (options: object) => {
    const made = gate();
    await made.acquire(options);
    return made.stats().limits.map(({ inflight }) => inflight);
  };

  it.each<[object, number[]]>([
    [{}, [0, 0, 1]],
    [{ keys: { user: 'a' } }, [1, 0, 1]],
    [{ keys: { user: undefined }, weights: { user: 2 } }, [0, 0, 1]],
    [{ keys: { user: '' }, weights: { user: 2 } }, [2, 0, 1]],
    [{ weights: { reports: 3 } }, [0, 3, 1]],
    [{ weights: { reports: undefined, app: 7 } }, [0, 0, 7]],
  ])('%j acquires %j', async (options, expected) => {
    expect(await acquiredOf(options)).toEqual(expected);
  });

  it.each<[object, object]>([
    [{ keys: { usr: 'a' } }, { code: 'ERR_HEADGATE_KEY', option: 'keys' }],
    [{ weights: { ap: 1 } }, { code: 'ERR_HEADGATE_KEY', option: 'weights' }],
    [{ keys: { user: Number.NaN } }, { code: 'ERR_HEADGATE_KEY' }],
    [{ keys: { app: 'a' } }, { code: 'ERR_HEADGATE_KEY' }],
    [{ weights: { app: 101 } }, { code: 'ERR_HEADGATE_WEIGHT', option: 'weight' }],
    [{ weights: { app: 1.5 } }, { code: 'ERR_HEADGATE_WEIGHT', option: 'weight' }],
    [{ keys: { user: 'a' }, weights: { user: 3 } }, { code: 'ERR_HEADGATE_WEIGHT' }],
  ])('%j is rejected', async (options, error) => {
    const made = gate();
    await expect(made.acquire(options)).rejects.toMatchObject(error);
    await expect(made.run(() => 1, options)).rejects.toMatchObject(error);
    expect(made.stats().limits.map(({ inflight }) => inflight)).toEqual([0, 0, 0]);
  });

  it('a request to which no limit applies is admitted and counted', async () => {
    const made = createGate({ limits: [keyed] });
    const permit = await made.acquire();
    expect(permit).toMatchObject({ weight: 0, key: undefined, waited: 0 });
    expect(made.holders).toBe(1);
    permit.release();
    expect(made.holders).toBe(0);
  });
});

it('a gate throws for a demand on a limit of another gate, and for demands in another order', () => {
  const gate = createGate({
    limits: [
      { name: 'a', limit: 1, optional: true },
      { name: 'b', limit: 1 },
    ],
  });
  const [a, b] = Object.values(gate.limiters).map((limiter) => ({ limiter, weight: 1 }));
  const foreign = { limiter: createLimiter({ limit: 1 }), weight: 1 };
  const error = expect.objectContaining({ code: 'ERR_HEADGATE_GATE_ORDER' });
  for (const demands of [[foreign], [b, a], [a, a]] as Demands[]) {
    expect(() => gate.request(new Caller(), demands)).toThrow(error);
  }
  expect(gate.stats()).toMatchObject({ holders: 0, queued: 0 });
});
