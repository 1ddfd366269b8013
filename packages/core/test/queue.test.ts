import { Caller, call } from '@headgate/test-kit/caller';
import { uncaughtIn } from '@headgate/test-kit/uncaught';
import { VirtualClock } from '@headgate/test-suite';
import { expect, it } from 'vitest';
import { byPriority, createGate, createLimiter, fifo, lifo } from '../src/index.ts';
import { FifoQueue } from '../src/queues/fifo.ts';

const boundless = { queueLimit: Number.POSITIVE_INFINITY, queueTimeout: Number.POSITIVE_INFINITY };

it('waiters are granted in order of arrival', () => {
  const limiter = createLimiter({ limit: 1, ...boundless });
  const order: number[] = [];
  const held = limiter.tryAcquire();
  for (let index = 0; index < 100; index++) {
    call(limiter, {
      onGranted: (permit) => {
        order.push(index);
        permit.release();
      },
    });
  }
  held?.release();
  expect(order).toEqual(Array.from({ length: 100 }, (_, index) => index));
});

it('a new request that would fit queues behind a first waiter that does not fit', () => {
  const limiter = createLimiter({ limit: 3, ...boundless });
  const held = limiter.tryAcquire({ weight: 2 });
  const head = call(limiter, { weight: 2 });
  const newcomer = call(limiter, { weight: 1 });
  expect([head.answers, newcomer.answers]).toEqual([0, 0]);
  held?.release();
  expect([head.answers, newcomer.answers]).toEqual([1, 1]);
});

it('a request made within a grant is queued too', () => {
  const limiter = createLimiter({ limit: 2, ...boundless });
  const held = limiter.tryAcquire({ weight: 2 });
  let intruder: Caller | undefined;
  call(limiter, {
    onGranted: () => {
      intruder = call(limiter);
      expect(limiter.tryAcquire()).toBeUndefined();
    },
  });
  const second = call(limiter);
  held?.release();
  expect(second.permit).toBeDefined();
  expect(intruder?.permit).toBeUndefined();
});

it('queueLimit: a request is rejected at once if the queue is full', () => {
  const limiter = createLimiter({ limit: 1, queueLimit: 2 });
  limiter.tryAcquire();
  const waiting = [call(limiter), call(limiter)];
  expect(call(limiter).rejection).toMatchObject({ reason: 'full', queued: 2, waited: 0 });
  expect(waiting.map(({ answers }) => answers)).toEqual([0, 0]);
});

it('a queueLimit of 0 rejects immediately', () => {
  const limiter = createLimiter({ limit: 1, name: 'renders', queueLimit: 0 });
  limiter.tryAcquire();
  expect(call(limiter).rejection).toMatchObject({
    reason: 'full',
    limitName: 'renders',
    queued: 0,
  });
});

it('1,000 requests queue by default, for two seconds', () => {
  const clock = new VirtualClock();
  const limiter = createLimiter({ limit: 1, clock });
  const [held, ...callers] = Array.from({ length: 1002 }, () => call(limiter));
  expect([held?.permit?.waited, limiter.queued]).toEqual([0, 1000]);
  expect(callers.at(-1)?.rejection?.reason).toBe('full');
  clock.advance(2000);
  expect(callers[0]?.rejection).toMatchObject({ reason: 'timeout', waited: 2000 });
  expect(limiter.queued).toBe(0);
});

it.each([
  ['of one limit', [{ name: 'app', limit: 1 }]],
  [
    'of several limits',
    [
      { name: 'app', limit: 1 },
      { name: 'all', limit: 9 },
    ],
  ],
  [
    'of several limits, one of them reused',
    [{ limiter: createLimiter({ name: 'app', limit: 1 }) }, { name: 'all', limit: 9 }],
  ],
])('a gate %s queues 1,000 requests by default', async (_, limits) => {
  const gate = createGate({ limits, queueTimeout: Infinity });
  const held = await gate.acquire();
  const callers = Array.from({ length: 1001 }, () =>
    gate.acquire().catch(({ rejection }) => rejection),
  );
  expect(gate.queued).toBe(1000);
  expect(await callers.at(-1)).toMatchObject({ reason: 'full' });
  await gate.close({ timeout: 0 });
  held.release();
});

it('the keys of a gate have a common queue of 1,000 requests by default', async () => {
  const gate = createGate({ limits: [{ name: 'user', limit: 1, perKey: true }] });
  for (let user = 0; user < 501; user++)
    for (let count = 0; count < 3; count++)
      gate.acquire({ keys: { user: `${user}` } }).catch(() => {});
  expect(gate.queued).toBe(1000);
  await gate.close({ timeout: 0 });
});

it('a waiter may decline to be queued', () => {
  const limiter = createLimiter({ limit: 1, ...boundless });
  const asked: string[] = [];
  const mayJoin = () => {
    asked.push('mayJoin');
    return false;
  };
  const held = call(limiter, { mayJoin });
  expect(asked).toEqual([]);
  const caller = call(limiter, { mayJoin });
  expect(caller.rejection?.reason).toBe('full');
  expect(asked).toEqual(['mayJoin']);
  held.permit?.release();
  expect(caller.answers).toBe(1);
});

it.each([fifo, lifo, byPriority])(
  '%o: a waiter gets the room that its own queued() makes',
  (order) => {
    const limiter = createLimiter({ limit: 1, ...boundless, order: order() });
    const held = limiter.tryAcquire();
    const whenQueued = () => held?.release();
    expect(call(limiter, { whenQueued }).permit).toBeDefined();
    expect(limiter.stats()).toMatchObject({ inflight: 1, queued: 0 });
  },
);

it('a waiter whose caller is gone gets no answer, and the next one is granted', () => {
  const limiter = createLimiter({ limit: 1, ...boundless });
  const held = limiter.tryAcquire();
  const gone = call(limiter, { gone: () => true });
  const next = call(limiter);
  held?.release();
  expect(gone.answers).toBe(0);
  expect(next.permit).toBeDefined();
  expect(limiter.stats()).toMatchObject({ queued: 0, withdrawn: 1 });
});

it('a waiter whose gone() throws counts as gone, and the error surfaces', async () => {
  const limiter = createLimiter({ limit: 1, ...boundless });
  const held = limiter.tryAcquire();
  const error = new Error('gone?');
  call(limiter, {
    gone: () => {
      throw error;
    },
  });
  const next = call(limiter);
  expect(await uncaughtIn(() => held?.release())).toEqual([error]);
  expect(next.permit).toBeDefined();
  expect(limiter.queued).toBe(0);
});

it('a withdrawn waiter gets no answer, and withdrawing one that is not queued has no effect', () => {
  const limiter = createLimiter({ limit: 1, ...boundless });
  const other = createLimiter({ limit: 1, ...boundless });
  const held = limiter.tryAcquire();
  const caller = call(limiter);
  other.withdraw(caller);
  expect(limiter.queued).toBe(1);
  limiter.withdraw(caller);
  limiter.withdraw(caller);
  limiter.withdraw(new Caller());
  held?.release();
  expect(caller.answers).toBe(0);
  expect(limiter.stats()).toMatchObject({ inflight: 0, queued: 0, withdrawn: 1 });
});

it('a queued waiter must not make another request; an answered waiter may', () => {
  const limiter = createLimiter({ limit: 1, ...boundless });
  const other = createLimiter({ limit: 1, ...boundless });
  const caller = call(limiter);
  limiter.request(caller);
  const twice = expect.objectContaining({ code: 'ERR_HEADGATE_WAITING' });
  expect(() => limiter.request(caller)).toThrow(twice);
  expect(() => other.request(caller)).toThrow(twice);
  expect(limiter.queued).toBe(1);
  caller.permit?.release();
  caller.permit?.release();
  expect(caller.answers).toBe(2);
});

it('a waiter whose granted() throws releases its permit, and the next one is granted', async () => {
  const limiter = createLimiter({ limit: 1, ...boundless });
  const held = limiter.tryAcquire();
  const error = new Error('granted');
  const onGranted = () => {
    throw error;
  };
  call(limiter, { onGranted });
  const next = call(limiter);
  expect(await uncaughtIn(() => held?.release())).toEqual([error]);
  expect(next.permit).toBeDefined();
  next.permit?.release();
  expect(() => call(limiter, { onGranted })).toThrow(error);
  expect(limiter.inflight).toBe(0);
});

it('a waiter whose rejected() throws does not affect others', async () => {
  const clock = new VirtualClock();
  const limiter = createLimiter({ limit: 1, ...boundless, queueTimeout: 10, clock });
  limiter.tryAcquire();
  const error = new Error('rejected');
  const onRejected = () => {
    throw error;
  };
  call(limiter, { onRejected });
  const next = call(limiter);
  expect(await uncaughtIn(() => clock.advance(10))).toEqual([error]);
  expect(next.rejection?.reason).toBe('timeout');
  expect(limiter.queued).toBe(0);
});

it('enqueueing at the tail and removing from anywhere affect only the neighbours', () => {
  const queue = new FifoQueue();
  const waiters = Array.from({ length: 5 }, (_, index) => {
    const waiter = new Caller({ weight: index + 1 });
    waiter.arrival = 2 * (index + 1);
    queue.insert(waiter);
    return waiter;
  });
  const arrivals = () => {
    const seen: number[] = [];
    for (let next = queue.oldest; next !== undefined; next = next.behind) seen.push(next.arrival);
    return seen;
  };
  const [first, , middle, , last] = waiters as [Caller, Caller, Caller, Caller, Caller];
  queue.remove(middle);
  expect(arrivals()).toEqual([2, 4, 8, 10]);
  queue.remove(last);
  queue.remove(first);
  expect(arrivals()).toEqual([4, 8]);
  middle.arrival = 3;
  queue.insert(middle);
  last.arrival = 5;
  queue.insert(last);
  expect(arrivals()).toEqual([3, 4, 5, 8]);
  expect([queue.length, queue.weight]).toEqual([4, 3 + 2 + 5 + 4]);
});

it("a waiter rejected on behalf of another limit gets that limit's name", () => {
  const limiter = createLimiter({ limit: 1, ...boundless });
  limiter.tryAcquire();
  const caller = call(limiter);
  limiter.reject(caller, 'overloaded', { limitName: 'database' });
  expect(caller.rejection).toMatchObject({ reason: 'overloaded', limitName: 'database' });
});
