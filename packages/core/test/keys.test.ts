import { type Caller, call } from '@headgate/test-kit/caller';
import { VirtualClock } from '@headgate/test-suite';
import { expect, it } from 'vitest';
import { createLimiter, type LimiterOptions } from '../src/index.ts';

function keyed(options: Partial<LimiterOptions> = {}) {
  return createLimiter({ limit: 2, perKey: true, queueLimit: 9, ...options });
}

it('every key has its own limit', () => {
  const limiter = keyed({ queueLimit: 0 });
  for (const key of ['a', 'b', '', '__proto__', 'constructor']) {
    expect(limiter.tryAcquire({ key, weight: 2 })?.key).toBe(key);
    expect(limiter.tryAcquire({ key })).toBeUndefined();
    expect(call(limiter, { key }).rejection?.reason).toBe('full');
  }
  expect(limiter.stats()).toMatchObject({ inflight: 10, keys: 5 });
});

it('every key has its own queue', () => {
  const limiter = keyed({ queueLimit: 1 });
  const [a, b] = [limiter.tryAcquire({ key: 'a', weight: 2 }), limiter.tryAcquire({ key: 'b' })];
  const waiting = call(limiter, { key: 'a' });
  expect(call(limiter, { key: 'a' }).rejection).toMatchObject({ reason: 'full', queued: 1 });
  const large = call(limiter, { key: 'b', weight: 2 });
  b?.release();
  expect([waiting.answers, large.answers]).toEqual([0, 1]);
  a?.release();
  expect(waiting.permit?.key).toBe('a');
});

it('usage() returns the limit and the weight in flight of a key', () => {
  const limiter = keyed();
  expect(limiter.usage('a')).toEqual({ limit: 2, inflight: 0 });
  limiter.tryAcquire({ key: 'a', limit: 7, weight: 3 });
  expect(limiter.usage('a')).toEqual({ limit: 7, inflight: 3 });
  expect(limiter.usage('b')).toEqual({ limit: 2, inflight: 0 });
  const unkeyed = createLimiter({ limit: 3 });
  unkeyed.tryAcquire();
  expect(unkeyed.usage()).toEqual({ limit: 3, inflight: 1 });
});

it('an idle key is evicted at once', () => {
  const limiter = keyed({ limit: 1 });
  for (let index = 0; index < 10_000; index++) {
    limiter.tryAcquire({ key: `key ${index}` })?.release();
    expect(limiter.stats().keys).toBe(0);
  }
});

it('a key is evicted when its last caller leaves, in any way', () => {
  const clock = new VirtualClock();
  const limiter = keyed({ limit: 1, clock, maxHold: 500 });
  limiter.observe({ leaked: () => {} });
  const enter = () => {
    const held = limiter.tryAcquire({ key: 'a' });
    expect(limiter.stats().keys).toBe(1);
    return { release: () => held?.release(), caller: call(limiter, { key: 'a' }) };
  };
  const ends: ((release: () => void, caller: Caller) => void)[] = [
    (release, caller) => {
      release();
      caller.permit?.release();
    },
    (release, caller) => {
      limiter.withdraw(caller);
      release();
    },
    (release, caller) => {
      release();
      caller.permit?.release();
      caller.permit?.release();
    },
    (release) => {
      limiter.reject(call(limiter, { key: 'a' }), 'overloaded');
      clock.advance(2000);
      release();
    },
  ];
  for (const end of ends) {
    const { release, caller } = enter();
    end(release, caller);
    expect(limiter.stats()).toMatchObject({ keys: 0, inflight: 0, queued: 0 });
  }
});

it('a request that is rejected or refuses to queue does not keep its key in memory', () => {
  const limiter = keyed();
  expect(() => call(limiter, { key: 'a', weight: 3 })).toThrow();
  void limiter.close();
  expect(call(limiter, { key: 'a' }).rejection?.reason).toBe('closed');
  expect(limiter.tryAcquire({ key: 'a' })).toBeUndefined();
  expect(limiter.stats().keys).toBe(0);
});

it('a key in use is never evicted, whatever happens to other keys', () => {
  const limiter = keyed({ limit: 1 });
  limiter.tryAcquire({ key: 'in use' });
  for (let index = 0; index < 1000; index++) {
    limiter.tryAcquire({ key: `key ${index}` })?.release();
    expect(limiter.tryAcquire({ key: 'in use' })).toBeUndefined();
  }
  expect(limiter.stats().keys).toBe(1);
});

it.each(['enforce', 'shadow'] as const)('42 and "42" are the same key (%s)', async (mode) => {
  const limiter = keyed();
  if (mode === 'shadow') limiter.shadow();
  expect(await limiter.run(({ key }) => key, { key: 42 })).toBe('42');
  const permits = [limiter.tryAcquire({ key: 42 }), await limiter.acquire({ key: '42' })];
  expect(permits.map((permit) => permit?.key)).toEqual(['42', '42']);
  expect(limiter.stats()).toMatchObject({ keys: 1, inflight: 2 });
  const waiting = limiter.run(({ key }) => key, { key: 42 });
  const other = limiter.run(({ key }) => key, { key: 43 });
  expect(await other).toBe('43');
  permits[0]?.release();
  expect(await waiting).toBe('42');
});

it.each([Number.NaN, Infinity])('%s is no key', async (key) => {
  const error = {
    code: 'ERR_HEADGATE_KEY',
    option: 'key',
    message: `key must be a string or a finite number, got ${key}`,
  };
  const limiter = keyed();
  expect(() => limiter.tryAcquire({ key })).toThrow(expect.objectContaining(error));
  await expect(limiter.acquire({ key })).rejects.toMatchObject(error);
  await expect(limiter.run(() => 1, { key })).rejects.toMatchObject(error);
});

it('a key must be a string or a number, and a limiter without keys accepts none', async () => {
  const code = 'ERR_HEADGATE_KEY';
  const limiter = keyed();
  for (const key of [undefined, null, {}] as string[]) {
    expect(() => limiter.tryAcquire({ key })).toThrow(expect.objectContaining({ code }));
    await expect(limiter.acquire({ key })).rejects.toMatchObject({ code, option: 'key' });
    expect(() => call(limiter, { key })).toThrow(expect.objectContaining({ code }));
  }
  // A waiter's key is always text.
  expect(() => call(limiter, { key: 5 as never })).toThrow(expect.objectContaining({ code }));
  const unkeyed = createLimiter({ limit: 1, name: 'app' });
  await expect(unkeyed.run(() => 1, { key: 'a' })).rejects.toMatchObject({
    code,
    message: 'limiter "app" is not keyed: set perKey',
    option: 'key',
  });
  expect(() => unkeyed.tryAcquire({ limit: 3 })).toThrow(expect.objectContaining({ code }));
});

it("a key's own limit applies only to this key, and only while it is in use", () => {
  const limiter = keyed({ queueLimit: 0 });
  const paying = limiter.tryAcquire({ key: 'paying', limit: 10, weight: 9 });
  expect(limiter.tryAcquire({ key: 'paying', limit: 10 })).toBeDefined();
  expect(limiter.tryAcquire({ key: 'paying', limit: 10 })).toBeUndefined();
  expect(() => limiter.tryAcquire({ key: 'free', weight: 3 })).toThrow(
    'from 1 to the limit of "unnamed" (2)',
  );
  expect(paying?.weight).toBe(9);
});

it("a key's limit is evicted with the key", () => {
  const limiter = keyed();
  limiter.tryAcquire({ key: 'a', limit: 10, weight: 9 })?.release();
  expect(limiter.usage('a').limit).toBe(2);
});

it('the latest limit of a key applies: raising it grants waiters, lowering it revokes no permit', () => {
  const limiter = keyed({ limit: 1 });
  const first = limiter.tryAcquire({ key: 'a' });
  const waiting = [call(limiter, { key: 'a' }), call(limiter, { key: 'a' })];
  expect(limiter.tryAcquire({ key: 'a', limit: 3 })).toBeUndefined();
  expect(waiting.map(({ answers }) => answers)).toEqual([1, 1]);
  const next = call(limiter, { key: 'a', limit: 1 });
  expect(limiter.usage('a')).toEqual({ limit: 1, inflight: 3 });
  first?.release();
  waiting[0]?.permit?.release();
  expect(next.answers).toBe(0);
  waiting[1]?.permit?.release();
  expect(next.answers).toBe(1);
});

it.each([0, -1, 1.5, Number.NaN, '3', Number.POSITIVE_INFINITY])(
  "%s is refused as a key's own limit",
  (limit) => {
    const limiter = keyed();
    const error = { code: 'ERR_HEADGATE_OPTION', option: 'limit' };
    expect(() => limiter.tryAcquire({ key: 'a', limit: limit as number })).toThrow(
      expect.objectContaining(error),
    );
    expect(limiter.stats().keys).toBe(0);
  },
);
