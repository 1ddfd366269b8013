import { Caller, call } from '@headgate/test-kit/caller';
import { lcg } from '@headgate/test-kit/lcg';
import { VirtualClock } from '@headgate/test-suite';
import { expect, it } from 'vitest';
import { byPriority, createGate, createLimiter, fair, fifo, lifo } from '../src/index.ts';
import { shuffleShard } from '../src/queues/shuffle-shard.ts';
import { Order } from '../src/semaphore/queue.ts';
import { askGate } from './ask-gate.ts';

function occupied(options: { order?: Order; queueLimit?: number } = {}) {
  const limiter = createLimiter({
    limit: 4,
    queueLimit: 1000,
    queueTimeout: Infinity,
    order: fair(),
    clock: new VirtualClock({ random: lcg(7) }),
    ...options,
  });
  let held = call(limiter, { weight: 4 });
  const waiting: Caller[] = [];
  const ask = (fairBy: string, weight = 4) => {
    const caller = new Caller({ weight });
    caller.fairBy = fairBy;
    waiting.push(caller);
    limiter.request(caller);
    return caller;
  };
  /** Releases a permit, and returns the flow of the waiter that is granted. */
  const next = () => {
    const before = new Set(waiting.filter(({ permit }) => permit !== undefined));
    held.permit?.release();
    held = waiting.find((one) => one.permit !== undefined && !before.has(one)) as Caller;
    return held.fairBy;
  };
  return { limiter, ask, next, waiting };
}

const times = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);

it('flows are served in turn, however many waiters one of them has', () => {
  const { ask, next } = occupied();
  times(10, () => ask('greedy'));
  for (const fairBy of ['a', 'b', 'a']) ask(fairBy);
  expect(times(6, next)).toEqual(['greedy', 'a', 'b', 'greedy', 'a', 'greedy']);
});

it('the given order applies within a flow', () => {
  const { ask, next, waiting } = occupied({ order: fair(lifo()) });
  const [first, second] = [ask('a'), ask('a')];
  next();
  expect(waiting.map(({ permit }) => permit !== undefined)).toEqual([false, true]);
  next();
  expect([first?.permit, second?.permit].every((permit) => permit !== undefined)).toBe(true);
});

it('a flow with requests twice as heavy gets half as many turns', () => {
  const { limiter, ask } = occupied();
  const heavy = times(30, () => ask('heavy', 4));
  const light = times(30, () => ask('light', 2));
  const isIn = ({ permit }: Caller) => permit !== undefined;
  const both = [...heavy, ...light];
  // Every granted permit is released at once.
  const done = new Set<Caller>();
  limiter.setLimit(8);
  while (done.size < 40) {
    for (const caller of both.filter((one) => isIn(one) && !done.has(one))) {
      done.add(caller);
      caller.permit?.release();
      break;
    }
  }
  const turns = (callers: Caller[]) => callers.filter((one) => done.has(one)).length;
  expect(turns(light) / turns(heavy)).toBeCloseTo(2, 0);
});

it('a flow without waiters may be ahead by the limit, once', () => {
  const { ask, next } = occupied();
  times(20, () => ask('early'));
  times(10, next);
  times(5, () => ask('late'));
  expect(times(6, next)).toEqual(['late', 'late', 'early', 'late', 'early', 'late']);
});

it('a flow that has been ahead by the limit is charged for it', () => {
  const { ask, next } = occupied();
  times(40, () => ask('early'));
  next();
  const servedOf20 = times(20, () => {
    // One request at a time: its flow is without waiters whenever it is served.
    ask('late');
    return [next(), next()];
  }).flat();
  expect(servedOf20.filter((flow) => flow === 'late').length).toBeLessThanOrEqual(21);
});

it('turns are reset when the queue is empty', () => {
  const { ask, next } = occupied();
  times(5, () => ask('a'));
  times(5, next);
  ask('a');
  ask('b');
  expect(times(2, next)).toEqual(['a', 'b']);
});

it('in a full queue, a new request displaces the youngest waiter of the heaviest subqueue', () => {
  const { ask, limiter, waiting } = occupied({ queueLimit: 4 });
  times(4, () => ask('greedy', 1));
  ask('a', 1);
  ask('b', 1);
  const reasons = waiting.map(({ rejection }) => rejection?.reason);
  expect(reasons).toEqual([undefined, undefined, 'full', 'full', undefined, undefined]);
  // Its own subqueue is then as heavy as any.
  expect(ask('a', 1).rejection?.reason).toBe('full');
  expect(ask('greedy', 1).rejection?.reason).toBe('full');
  expect(limiter.queued).toBe(4);
});

it('if queueLimit is 0, all requests beyond the limit are rejected', () => {
  const { ask } = occupied({ queueLimit: 0 });
  expect(ask('one').rejection?.reason).toBe('full');
});

it('within each priority, flows are served in turn', () => {
  const { ask, next, waiting, limiter } = occupied({ order: byPriority(fair()) });
  times(2, () => ask('a'));
  const urgent = new Caller({ weight: 4 });
  urgent.fairBy = 'b';
  urgent.priority = 'critical';
  limiter.request(urgent);
  waiting.push(urgent);
  ask('b');
  expect(times(4, next)).toEqual(['b', 'a', 'b', 'a']);
});

it('flows are served in turn at every limit of a gate', () => {
  const limits = [
    { name: 'reports', limit: 1, optional: true },
    { name: 'app', limit: 1 },
  ];
  const clock = new VirtualClock({ random: lcg(3) });
  const gate = createGate({ limits, queueLimit: 9, order: fair(), clock });
  const ask = (fairBy: string, shares: readonly ({ weight: number } | undefined)[]) => {
    const caller = new Caller();
    caller.fairBy = fairBy;
    askGate(gate, caller, shares);
    return caller;
  };
  const app = [undefined, { weight: 1 }];
  const holder = ask('a', app);
  const waiting = ['a', 'a', 'b'].map((fairBy) => ask(fairBy, app));
  holder.permit?.release();
  waiting[0]?.permit?.release();
  expect(waiting.map(({ permit }) => permit !== undefined)).toEqual([true, false, true]);
});

it('acquire accepts fairBy', async () => {
  const clock = new VirtualClock({ random: lcg(3) });
  const limiter = createLimiter({ limit: 1, queueLimit: 9, order: fair(), clock });
  const holder = limiter.tryAcquire();
  const order: string[] = [];
  const work = ['a', 'a', 'b'].map((fairBy) =>
    limiter.run(async () => void order.push(fairBy), { fairBy }),
  );
  holder?.release();
  await Promise.all(work);
  expect(order).toEqual(['a', 'b', 'a']);
});

it('flows with one request are hardly delayed by flows with a hundred', () => {
  const { ask, next } = occupied({ queueLimit: 3000 });
  for (let count = 0; count < 2000; count++) ask(`busy ${count % 20}`);
  const calm = Array.from({ length: 10 }, (_, index) => ask(`calm ${index}`));
  times(2 * 30, next);
  expect(calm.every(({ permit }) => permit !== undefined)).toBe(true);
});

it('there are at most 128 subqueues for any number of flows, and none when the queue is empty', () => {
  let made = 0;
  const inner = new Order((context) => {
    made++;
    return fifo().create(context);
  }, []);
  const { ask, next, limiter } = occupied({ queueLimit: 3000, order: fair(inner) });
  for (let count = 0; count < 3000; count++) ask(`invented ${count}`);
  expect(made).toBe(128);
  times(3000, next);
  expect(limiter.queued).toBe(0);
});

it('a flow always gets the same six subqueues, and flows are spread evenly over all 128', () => {
  const count = new Array(128).fill(0);
  for (let fairBy = 0; fairBy < 6400; fairBy++) {
    const hand = shuffleShard(`flow ${fairBy}`, 42);
    expect(new Set(hand).size).toBe(6);
    expect(shuffleShard(`flow ${fairBy}`, 42)).toEqual(hand);
    for (const subqueue of hand) count[subqueue]++;
  }
  expect(Math.min(...count)).toBeGreaterThan(200);
  expect(Math.max(...count)).toBeLessThan(400);
  // Another seed deals other hands, so a client cannot compute which flows it could crowd out.
  expect(shuffleShard('flow 1', 42)).not.toEqual(shuffleShard('flow 1', 43));
});

it('two flows rarely have all subqueues in common', () => {
  const mine = new Set(shuffleShard('mine', 1));
  let most = 0;
  for (let other = 0; other < 5000; other++) {
    const shared = shuffleShard(`other ${other}`, 1).filter((subqueue) =>
      mine.has(subqueue),
    ).length;
    most = Math.max(most, shared);
  }
  expect(most).toBeLessThan(5);
});

it('fair() throws for an invalid order', () => {
  const error = { code: 'ERR_HEADGATE_OPTION', option: 'order' };
  expect(() => fair('fifo' as never)).toThrow(expect.objectContaining(error));
});

it.each([
  ['fairBy', { fairBy: null }],
  ['fairBy', { fairBy: 7 }],
  ['priority', { priority: 'urgent' }],
])('an invalid %s is an error, and the queue is still served', async (option, wishes) => {
  const clock = new VirtualClock();
  const order = byPriority(fair());
  const limiter = createLimiter({ limit: 1, queueLimit: 2, order, queueTimeout: 100, clock });
  const gates = [[{ limiter }], [{ name: 'app', limit: 1 }]].map((limits) =>
    createGate({ limits, queueLimit: 2, ...(limits[0] && 'name' in limits[0] ? { order } : {}) }),
  );
  for (const at of [limiter, ...gates]) {
    const holder = await at.acquire();
    const error = { code: 'ERR_HEADGATE_OPTION', option };
    await expect(at.acquire(wishes as never)).rejects.toMatchObject(error);
    expect(at.queued).toBe(0);
    const waiting = at.acquire();
    holder.release();
    (await waiting).release();
    expect([at.holders, at.queued]).toEqual([0, 0]);
  }
  const waiter = new Caller();
  Object.assign(waiter, wishes);
  const held = limiter.tryAcquire();
  expect(() => limiter.request(waiter)).toThrow(expect.objectContaining({ option }));
  clock.advance(200);
  held?.release();
  expect([limiter.queued, clock.armed]).toEqual([0, 0]);
});

it('a gate of one limit or several passes fairBy to its limits', async () => {
  const limits = [{ name: 'app', limit: 1 }];
  const more = [{ name: 'own', limit: 1, optional: true }, ...limits];
  for (const options of [{ limits }, { limits: more }]) {
    const guard = { name: 'open', admits: () => true };
    for (const extra of [{}, { guard }]) {
      const gate = createGate({ ...options, ...extra, queueLimit: 9, order: fair() });
      const holder = await gate.acquire();
      const order: string[] = [];
      const work = ['a', 'a', 'b'].map((fairBy) =>
        gate.run(async () => void order.push(fairBy), { fairBy }),
      );
      holder.release();
      await Promise.all(work);
      expect(order).toEqual(['a', 'b', 'a']);
    }
  }
});
