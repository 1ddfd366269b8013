import { call } from '@headgate/test-kit/caller';
import { uncaughtIn } from '@headgate/test-kit/uncaught';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createGate, createLimiter, type Limit, systemClock } from '../src/index.ts';

/** A limiter with the application's own limit algorithm. */
function limitedBy(limit: Limit) {
  return createLimiter({ limit: { create: () => limit }, queueLimit: 9, queueTimeout: Infinity });
}

const broken = () => {
  throw new Error('own code');
};

describe("an application's limit algorithm", () => {
  it('leaks no permit if its sample() throws, and the error surfaces', async () => {
    const limiter = limitedBy({ limit: 5, sample: broken });
    const errors = await uncaughtIn(async () => {
      for (let count = 0; count < 5; count++) await limiter.run(() => {});
    });
    expect(errors).toHaveLength(5);
    expect([limiter.inflight, limiter.holders]).toEqual([0, 0]);
  });

  it('keeps its last valid value if its limit is not a number, and this is reported once', async () => {
    const values = [2, Number.NaN, '7', undefined, 3];
    const limit = { limit: 4, sample: () => Object.assign(limit, { limit: values.shift() }) };
    const limiter = limitedBy(limit);
    const limits: number[] = [];
    const errors = await uncaughtIn(() => {
      for (let count = 0; count < 5; count++) {
        limiter.tryAcquire()?.release();
        limits.push(limiter.limit);
      }
    });
    expect(limits).toEqual([2, 2, 2, 2, 3]);
    expect(errors).toMatchObject([{ code: 'ERR_HEADGATE_OPTION', option: 'limit' }]);
  });

  it('keeps its last valid value if its getter throws', async () => {
    let isBroken = false;
    const limit = {
      get limit() {
        return isBroken ? broken() : 2;
      },
      sample: () => {},
    };
    const limiter = limitedBy(limit);
    isBroken = true;
    const held = limiter.tryAcquire({ weight: 2 });
    const waiting = call(limiter);
    const errors = await uncaughtIn(() => held?.release());
    expect(errors).toMatchObject([{ message: 'own code' }]);
    expect([limiter.limit, limiter.inflight, waiting.answers]).toEqual([2, 1, 1]);
  });

  it.each([{ limit: Number.NaN, sample: () => {} }, { limit: 2 }, { sample: () => {} }, undefined])(
    'is an error at construction if it is invalid: %o',
    (limit) => {
      expect(() => limitedBy(limit as never)).toThrow(
        expect.objectContaining({ code: 'ERR_HEADGATE_OPTION' }),
      );
    },
  );
});

it('a clock without random() uses Math.random', async () => {
  const { random, ...clock } = { ...systemClock };
  const spy = vi.spyOn(Math, 'random').mockReturnValue(0.999);
  onTestFinished(() => spy.mockRestore());
  const limiter = createLimiter({ limit: 1, queueLimit: 0, clock });
  limiter.tryAcquire();
  expect(call(limiter).rejection?.retryAfter).toBe(2);
});

it('a request whose guard throws holds no permit', async () => {
  const guard = { name: 'own', admits: broken };
  const gate = createGate({ limits: [{ name: 'a', limit: 1 }], guard });
  await expect(gate.run(() => {})).rejects.toThrow('own code');
  expect([gate.holders, gate.queued]).toEqual([0, 0]);
});
