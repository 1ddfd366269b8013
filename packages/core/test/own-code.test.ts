import { type Caller, call } from '@headgate/test-kit/caller';
import { uncaughtIn } from '@headgate/test-kit/uncaught';
import { VirtualClock } from '@headgate/test-suite';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  createGate,
  createLimiter,
  fifo,
  type Limit,
  lifo,
  type Order,
  type Permit,
  type Queue,
  systemClock,
  Waiter,
} from '../src/index.ts';

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

describe("an application's order", () => {
  /** A queue whose `next` and `remove` can be replaced. */
  function orderWith(own: Partial<Queue>): Order {
    return {
      create: (site) => {
        const queue = fifo().create(site);
        const members = ['length', 'weight', 'oldest', 'youngest', 'next', 'stale'] as const;
        const double = { displacedBy: () => undefined, mayBeNext: () => false };
        for (const name of members)
          Object.defineProperty(double, name, {
            get: () => queue[name],
            configurable: true,
          });
        const insert = (waiter: Waiter) => queue.insert(waiter);
        const remove = (waiter: Waiter) => queue.remove(waiter, false);
        return Object.defineProperties(
          Object.assign(double, { insert, remove }) as unknown as Queue,
          Object.getOwnPropertyDescriptors(own),
        );
      },
    };
  }

  /** A required method must exist; other members may fail already when they are read. */
  const failing = (name: keyof Queue) => {
    const get = ['insert', 'remove', 'mayBeNext'].includes(name) ? () => broken : broken;
    return Object.defineProperty({}, name, { get, configurable: true });
  };

  it.each(['next', 'stale', 'oldest', 'insert', 'remove', 'mayBeNext', 'changeInflight'] as const)(
    'loses no waiter if its %s fails',
    async (name) => {
      const own = failing(name);
      const limiter = createLimiter({ limit: 1, queueLimit: 9, order: orderWith(own) });
      await uncaughtIn(() => {
        const held = call(limiter);
        const waiting = [call(limiter), call(limiter)];
        held.permit?.release();
        for (const { permit } of waiting) permit?.release();
        expect(waiting.every(({ permit }) => permit !== undefined)).toBe(true);
      });
      expect([limiter.inflight, limiter.queued]).toEqual([0, 0]);
    },
  );

  it('grants no waiter twice, even if it keeps a removed waiter or returns an unknown one', async () => {
    const stranger = Object.assign(Object.create(Waiter.prototype), { weight: 1 });
    for (const own of [{ remove: () => {} }, { next: stranger }]) {
      const limiter = createLimiter({ limit: 1, queueLimit: 9, order: orderWith(own) });
      const held = call(limiter);
      const waiting = [call(limiter), call(limiter)];
      held.permit?.release();
      for (const { permit } of waiting) permit?.release();
      expect(waiting.map(({ answers }) => answers)).toEqual([1, 1]);
      expect([limiter.inflight, limiter.queued]).toEqual([0, 0]);
    }
  });

  it.each(['insert', 'remove'] as const)(
    'is no longer used after its %s() threw, and waiters are served in order of arrival',
    async (name) => {
      let calls = 0;
      const granted: number[] = [];
      const order: Order = {
        create: (context) => {
          const whole = lifo().create(context);
          const get = (_: object, member: keyof Queue) => {
            calls++;
            if (member === name) return broken;
            const value = whole[member];
            return typeof value === 'function' ? value.bind(whole) : value;
          };
          // A proxy of the queue itself would count as one of the package's own.
          return new Proxy({}, { get } as ProxyHandler<object>) as Queue;
        },
      };
      const limiter = createLimiter({ limit: 1, queueLimit: 9, order });
      const errors = await uncaughtIn(() => {
        const held = call(limiter);
        const [first, ...others] = [1, 2, 3, 4].map((index) => {
          const onGranted = (permit: Permit) => {
            granted.push(index);
            permit.release();
          };
          return call(limiter, { onGranted });
        });
        limiter.withdraw(first as Caller);
        calls = 0;
        held.permit?.release();
        expect(others.every(({ answers }) => answers === 1)).toBe(true);
      });
      expect([errors.length, calls, granted]).toEqual([1, 0, [2, 3, 4]]);
      expect([limiter.inflight, limiter.queued]).toEqual([0, 0]);
    },
  );
});

it('a clock that throws or returns no number leaks no permit, and its last valid time is used', async () => {
  class Broken extends VirtualClock {
    says: (() => number) | undefined;
    override now(): number {
      return this.says === undefined ? super.now() : this.says();
    }
  }
  const clock = new Broken();
  const observer = { released: () => {} };
  const limiter = createLimiter({ limit: 1, queueLimit: 9, maxHold: 50, clock });
  limiter.observe(observer);
  for (const says of [broken, () => Number.NaN, () => 'noon' as never]) {
    clock.says = undefined;
    const held = limiter.tryAcquire();
    const waiting = call(limiter);
    clock.says = says;
    const errors = await uncaughtIn(() => {
      held?.release();
      waiting.permit?.release();
    });
    expect(errors.length).toBeGreaterThan(0);
    expect([limiter.inflight, limiter.queued, waiting.answers]).toEqual([0, 0, 1]);
  }
});

const clockRandom = 'clock.random must be a method that returns numbers from 0 to below 1';

it.each([
  [broken, 'own code'],
  [() => Number.NaN, clockRandom],
  [() => -0.1, clockRandom],
  [() => 1, clockRandom],
])(
  'a clock whose random() is %o does not prevent the answer to a waiter',
  async (random, message) => {
    const clock = new VirtualClock({ random });
    const limiter = createLimiter({ limit: 1, queueTimeout: 1000, clock });
    limiter.tryAcquire();
    const waiting = call(limiter);
    const errors = await uncaughtIn(() => clock.advance(1000));
    expect(waiting.rejection).toMatchObject({ reason: 'timeout', retryAfter: 1 });
    expect(errors).toHaveLength(1);
    expect(String(errors[0])).toContain(message);
  },
);

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
