import { Caller, call } from '@headgate/test-kit/caller';
import { lcg } from '@headgate/test-kit/lcg';
import { uncaughtIn } from '@headgate/test-kit/uncaught';
import { VirtualClock } from '@headgate/test-suite';
import { expect, it } from 'vitest';
import {
  byPriority,
  byShare,
  codel,
  createLimiter,
  fifo,
  lifo,
  type Order,
  type Permit,
  type Priority,
  type Queue,
} from '../src/index.ts';

/** Wraps an order as an application's own, with these members replaced. */
function own(order: Order, replaced: Partial<Queue> = {}): Order {
  const create: Order['create'] = (site) => {
    const queue = order.create(site);
    return new Proxy({} as Queue, {
      get: (_, name) => {
        const from = Object.hasOwn(replaced, name) ? replaced : queue;
        const member: unknown = Reflect.get(from, name);
        return typeof member === 'function' ? member.bind(queue) : member;
      },
    });
  };
  return { create, ranks: order.ranks, shareNames: order.shareNames };
}

const broken = () => {
  throw new Error('own order');
};

const priorities: readonly Priority[] = ['critical', 'normal', 'low'];

/** The events of 300 requests of a random workload, as text. */
function storyOf(order: Order): string[] {
  const clock = new VirtualClock({ random: () => 0.5 });
  const random = lcg(7);
  const pick = (count: number) => Math.floor(random() * count);
  const limiter = createLimiter({
    ...{ limit: 3, queueLimit: 6, queueWeight: 9, queueTimeout: 40 },
    ...{ order, clock },
  });
  const events: string[] = [];
  const callers: Caller[] = [];
  const held: Permit[] = [];
  const ask = (index: number) => {
    const caller: Caller = new Caller({
      weight: 1 + pick(3),
      onGranted: (permit) => {
        held.push(permit);
        events.push(`${index} granted after ${permit.waited}`);
      },
      onRejected: ({ reason, queued, retryAfter }) =>
        events.push(`${index} ${reason}, ${queued} queued, retry after ${retryAfter}`),
    });
    caller.priority = priorities[pick(3)] as Priority;
    caller.share = order.shareNames?.[pick(2)];
    callers.push(caller);
    limiter.request(caller);
  };
  for (let index = 0; index < 300; index++) {
    ask(index);
    const one = callers[pick(callers.length)] as Caller;
    if (pick(8) === 0) limiter.withdraw(one);
    one.permit?.release();
    if (pick(2) === 0) held.shift()?.release();
    clock.advance(pick(9));
    events.push(`waiting for ${limiter.stats().longestWait}`);
  }
  void limiter.close();
  return events;
}

it.each<[string, () => Order, () => Order]>([
  ['fifo()', fifo, () => own(fifo())],
  ['lifo()', lifo, () => own(lifo())],
  ['codel()', () => codel({ interval: 20 }), () => own(codel({ interval: 20 }))],
  ['byPriority()', byPriority, () => own(byPriority())],
  ['lifo() within byPriority()', () => byPriority(lifo()), () => byPriority(own(lifo()))],
  ['byShare()', () => byShare({ a: 0.6, b: 0.3 }), () => own(byShare({ a: 0.6, b: 0.3 }))],
])('an application can supply %s itself, and nothing changes', (_, order, same) => {
  expect(storyOf(same())).toEqual(storyOf(order()));
});

it('close() rejects every waiter even if the `oldest` of the order throws', async () => {
  const replaced = Object.defineProperty({}, 'oldest', { get: broken });
  const limiter = createLimiter({ limit: 1, queueLimit: 9, order: own(fifo(), replaced) });
  limiter.tryAcquire();
  const waiting = [call(limiter), call(limiter)];
  await uncaughtIn(() => limiter.close({ timeout: 0 }));
  expect(waiting.map(({ rejection }) => rejection?.reason)).toEqual(['closed', 'closed']);
});

it('a full queue rejects a request even if its order names another waiter as the oldest each time', () => {
  const callers: Caller[] = [];
  let reads = 0;
  const get = () => callers[reads++ % 2];
  const order = own(fifo(), Object.defineProperty({}, 'oldest', { get }));
  const limiter = createLimiter({ limit: 1, queueLimit: 2, order });
  limiter.tryAcquire();
  callers.push(call(limiter), call(limiter));
  reads = 0;
  expect(call(limiter).rejection?.reason).toBe('full');
  expect(reads).toBeLessThan(10);
});

it.each(['mayBeNext', 'insert'] as const)(
  'a new request that fits is granted even if %s() throws',
  async (name) => {
    const order = own(fifo(), { [name]: broken });
    const limiter = createLimiter({ limit: 1, queueLimit: 9, order });
    const held = limiter.tryAcquire();
    const whenQueued = () => held?.release();
    await uncaughtIn(() => expect(call(limiter, { whenQueued }).answers).toBe(1));
  },
);

it('an order that throws for a reused key leaves neither waiters nor timers', () => {
  const clock = new VirtualClock();
  let isBroken = false;
  const order: Order = { create: (site) => (isBroken ? broken() : fifo().create(site)) };
  const limiter = createLimiter({ limit: 1, perKey: true, queueLimit: 1, order, clock });
  const held = limiter.tryAcquire({ key: 'a' });
  const onRejected = () => {
    isBroken = true;
    held?.release();
  };
  call(limiter, { key: 'a', queueTimeout: 10, onRejected });
  clock.busy(10);
  expect(() => call(limiter, { key: 'a' })).toThrow('own order');
  const { inflight, queued, keys } = limiter.stats();
  expect({ inflight, queued, keys, armed: clock.armed }).toEqual({
    ...{ inflight: 0, queued: 0, keys: 0, armed: 0 },
  });
});

it('a full queue displaces the oldest waiter of a subqueue whose own order does not define the youngest', async () => {
  const replaced = Object.defineProperty({}, 'youngest', { get: broken });
  const order = byPriority(own(fifo(), replaced));
  const limiter = createLimiter({ limit: 1, queueLimit: 2, order });
  limiter.tryAcquire();
  const waiting = [call(limiter), call(limiter)];
  let urgent: Caller | undefined;
  await uncaughtIn(() => (urgent = call(limiter, { priority: 'high' })));
  expect(waiting.map(({ rejection }) => rejection?.reason)).toEqual(['full', undefined]);
  expect(urgent?.answers).toBe(0);
});

const noMayBeNext = { insert: () => {}, remove: () => {}, displacedBy: () => {} };

it.each([undefined, {}, { insert: () => {} }, noMayBeNext, 'queue'])(
  'an order may not return %j as its queue',
  (queue) => {
    const order = { create: () => queue as never };
    const option = expect.stringMatching(/^order\.create\(\)/);
    const error = { code: 'ERR_HEADGATE_OPTION', option };
    const create = () => createLimiter({ limit: 1, queueLimit: 1, order });
    expect(create).toThrow(expect.objectContaining(error));
  },
);
