import { describe, expect, it } from 'vitest';
import { createGate, createLimiter, type GateLimitOptions, type Takes } from '../src/index.ts';
import { Caller } from './caller.ts';

const keyed = { name: 'user', limit: 2, perKey: true };
const optional = { name: 'reports', limit: 4, optional: true };
const forAll = { name: 'app', limit: 100 };
const code = 'ERR_HEADGATE_GATE_ORDER';

const shared = (name: string, perKey = false): GateLimitOptions & { limiter: object } => ({
  limiter: createLimiter({ name, limit: 1, perKey }),
});

describe('order within a gate', () => {
  it.each<[string, GateLimitOptions[]]>([
    ['keyed, optional, for all', [keyed, optional, forAll]],
    ['only keyed ones', [keyed, { ...keyed, name: 'ip' }]],
    ['a keyed one that is optional too', [{ ...keyed, optional: true }, optional]],
    ['shared ones', [shared('user', true), optional, shared('app')]],
  ])('is accepted: %s', (_, limits) => {
    expect(createGate({ limits }).limits).toHaveLength(limits.length);
  });

  it.each<[string, GateLimitOptions[], string]>([
    ['unkeyed before keyed', [forAll, keyed], '"app" before "user"'],
    ['optional before keyed', [optional, keyed], '"reports" before "user"'],
    ['for all before optional', [keyed, forAll, optional], '"app" before "reports"'],
    ['shared ones too', [shared('app'), shared('user', true)], '"app" before "user"'],
  ])('is refused: %s', (_, limits, which) => {
    const error = { code, option: 'limits', message: expect.stringContaining(which) };
    expect(() => createGate({ limits })).toThrow(expect.objectContaining(error));
  });

  it('a name may stand only once, whoever brings it', () => {
    const error = { code: 'ERR_HEADGATE_DUPLICATE_NAME', option: 'name' };
    const limiter = createLimiter({ name: 'app', limit: 1 });
    for (const limits of [
      [forAll, forAll],
      [forAll, { limiter }],
      [{ limiter }, { limiter }],
    ]) {
      expect(() => createGate({ limits })).toThrow(expect.objectContaining(error));
    }
  });

  it('the name of a gate is made of those of its limits', () => {
    expect(createGate({ limits: [keyed, forAll] }).name).toBe('user+app');
    expect(createGate({ limits: [keyed, forAll], name: 'api' }).name).toBe('api');
  });
});

describe('order between gates', () => {
  it('contradictory orders of shared limiters are an error', () => {
    const [a, b] = [shared('a'), shared('b')];
    createGate({ limits: [a, b] });
    createGate({ limits: [a, b] });
    const error = { code, option: 'limits', message: expect.stringContaining('"a" before "b"') };
    expect(() => createGate({ limits: [b, a] })).toThrow(expect.objectContaining(error));
  });

  it('also where several gates together contradict', () => {
    const [a, b, c] = [shared('a'), shared('b'), shared('c')];
    createGate({ limits: [a, b] });
    createGate({ limits: [b, c] });
    expect(() => createGate({ limits: [c, a] })).toThrow(expect.objectContaining({ code }));
    createGate({ limits: [a, c] });
  });

  it('however many ways lead from one to the other', () => {
    const [a, b, c, d, e] = ['a', 'b', 'c', 'd', 'e'].map((name) => shared(name)) as [
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

  it("a gate's own limits contradict nobody, though they have the same names", () => {
    const one = { name: 'one', limit: 1 };
    const two = { name: 'two', limit: 1 };
    createGate({ limits: [one, two] });
    expect(createGate({ limits: [two, one] }).name).toBe('two+one');
  });

  it.each<[string, object]>([
    ['another option', { queueLimit: -1 }],
    ['shadow mode', { mode: 'shadow' }],
    ['the name', { name: '' }],
  ])('a gate that was refused for %s is not remembered', (_, wrong) => {
    const [a, b] = [shared('a'), shared('b')];
    expect(() => createGate({ limits: [a, b], ...wrong })).toThrow();
    expect(createGate({ limits: [b, a] }).name).toBe('b+a');
  });
});

describe('which limits apply', () => {
  const gate = () => createGate({ limits: [keyed, optional, forAll] });
  const taken = async (options: object) => {
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
  ])('%j takes %j', async (options, expected) => {
    expect(await taken(options)).toEqual(expected);
  });

  it.each<[object, object]>([
    [{ keys: { usr: 'a' } }, { code: 'ERR_HEADGATE_KEY', option: 'keys' }],
    [{ weights: { ap: 1 } }, { code: 'ERR_HEADGATE_KEY', option: 'weights' }],
    [{ keys: { user: 5 } }, { code: 'ERR_HEADGATE_KEY' }],
    [{ keys: { app: 'a' } }, { code: 'ERR_HEADGATE_KEY' }],
    [{ weights: { app: 101 } }, { code: 'ERR_HEADGATE_WEIGHT', option: 'weight' }],
    [{ weights: { app: 1.5 } }, { code: 'ERR_HEADGATE_WEIGHT', option: 'weight' }],
    [{ keys: { user: 'a' }, weights: { user: 3 } }, { code: 'ERR_HEADGATE_WEIGHT' }],
  ])('%j is refused', async (options, error) => {
    const made = gate();
    await expect(made.acquire(options)).rejects.toMatchObject(error);
    await expect(made.run(() => 1, options)).rejects.toMatchObject(error);
    expect(made.stats().limits.map(({ inflight }) => inflight)).toEqual([0, 0, 0]);
  });

  it('a request to which no limit applies is admitted and counted', async () => {
    const made = createGate({ limits: [keyed] });
    const permit = await made.acquire();
    expect(permit).toMatchObject({ weight: 0, key: undefined, waited: 0 });
    expect(made.inflight).toBe(1);
    permit.release();
    expect(made.inflight).toBe(0);
  });
});

it('refuses to be asked for a limit that is none of its own, or out of order', () => {
  const gate = createGate({
    limits: [
      { name: 'a', limit: 1, optional: true },
      { name: 'b', limit: 1 },
    ],
  });
  const [a, b] = gate.limits.map(({ limiter }) => ({ limiter, weight: 1 }));
  const foreign = { limiter: createLimiter({ limit: 1 }), weight: 1 };
  const error = expect.objectContaining({ code: 'ERR_HEADGATE_GATE_ORDER' });
  for (const takes of [[foreign], [b, a], [a, a]] as Takes[]) {
    expect(() => gate.request(new Caller(), takes)).toThrow(error);
  }
  expect(gate.stats()).toMatchObject({ inflight: 0, queued: 0 });
});
