import { lcg } from '@headgate/test-kit/lcg';
import { expect, it } from 'vitest';
import {
  byPriority,
  byShare,
  createGate,
  createLimiter,
  fair,
  type LimiterOptions,
  lifo,
  type Order,
  type Permit,
  type Priority,
} from '../src/index.ts';
import { askGate } from './ask-gate.ts';
import { Caller } from './caller.ts';

const shares = { gold: 0.6, free: 0.3 };

function divided(options: Partial<LimiterOptions> = {}) {
  const order = byShare(shares);
  const limiter = createLimiter({ limit: 10, queueLimit: 100, order, ...options });
  const ask = (share?: string, { weight = 1, priority = 'normal' as Priority } = {}) => {
    const caller = new Caller({ weight });
    caller.share = share;
    caller.priority = priority;
    limiter.request(caller);
    return caller;
  };
  const many = (count: number, share?: string) => Array.from({ length: count }, () => ask(share));
  return { limiter, ask, many };
}

const isIn = ({ permit }: Caller) => permit !== undefined;
const free = (callers: Caller[]) => {
  for (const { permit } of callers) permit?.release();
};

it('other requests may use capacity that a share leaves unused', () => {
  const { limiter, many } = divided();
  expect([...many(7, 'free'), ...many(3)].every(isIn)).toBe(true);
  expect(limiter.inflight).toBe(10);
});

it('a released permit goes to a share that holds less than its part', () => {
  const { many } = divided();
  const borrowers = many(10, 'free');
  const waiting = [...many(5, 'free'), ...many(5), ...many(8, 'gold')];
  free(borrowers.slice(0, 6));
  expect(waiting.map(isIn)).toEqual([
    ...new Array(5).fill(false),
    ...new Array(5).fill(false),
    ...new Array(6).fill(true),
    ...new Array(2).fill(false),
  ]);
  // Gold holds its six of ten, and free its three: all compete for the rest, in order of arrival.
  free(borrowers.slice(6, 7));
  expect(waiting.map(isIn).indexOf(true)).toBe(0);
});

it('of two shares below their parts, the one that holds the smaller fraction is first', () => {
  const { limiter, many } = divided();
  const others = many(10);
  const gold = many(6, 'gold');
  const poor = many(3, 'free');
  free(others.slice(0, 3));
  // Each holds one; gold's second of six is granted before the other's second of three.
  expect([gold.filter(isIn).length, poor.filter(isIn).length]).toEqual([2, 1]);
  expect(limiter.inflight).toBe(10);
});

it('a heavy waiter of a share below its part keeps the room until it fits', () => {
  const { ask, many } = divided();
  const others = many(10);
  const heavy = ask('gold', { weight: 4 });
  const light = ask(undefined);
  free(others.slice(0, 3));
  expect([heavy, light].map(isIn)).toEqual([false, false]);
  free(others.slice(3, 4));
  expect([heavy, light].map(isIn)).toEqual([true, false]);
});

it('in a full queue, a request of a share below its part displaces a waiter of one above', () => {
  const { many, ask } = divided({ queueLimit: 3 });
  many(10, 'free');
  const waiting = many(3, 'free');
  const gold = ask('gold');
  expect(waiting.map(({ rejection }) => rejection?.reason)).toEqual([undefined, undefined, 'full']);
  expect(gold.rejection).toBeUndefined();
  expect(ask('free').rejection?.reason).toBe('full');
  expect(ask().rejection?.reason).toBe('full');
});

it('a full queue displaces the youngest waiter of the share that exceeds its part the most', () => {
  const { many, ask } = divided({ queueLimit: 4 });
  many(10, 'gold');
  const [, golden] = many(2, 'gold');
  const [rest, own] = [ask(), ask('free')];
  const newcomer = ask('free');
  expect([golden, rest, own, newcomer].map((one) => one?.rejection?.reason)).toEqual([
    'full',
    undefined,
    undefined,
    undefined,
  ]);
});

it('waiters of shares below their part are not displaced', () => {
  const { many, ask } = divided({ queueLimit: 3 });
  many(10);
  const waiting = many(3, 'free');
  expect(ask('gold').rejection?.reason).toBe('full');
  expect(waiting.every(({ rejection }) => rejection === undefined)).toBe(true);
});

it('parts follow a changed limit', () => {
  const { limiter, many } = divided();
  const held = many(10, 'free');
  limiter.setLimit(5);
  const gold = many(5, 'gold');
  const more = many(5, 'free');
  free(held);
  // Gold holds three of five, and of the rest free gets its part first.
  expect([gold.filter(isIn).length, more.filter(isIn).length]).toEqual([3, 2]);
});

it('parts are measured by weight', () => {
  const { ask, many } = divided();
  const gold = ask('gold');
  many(9);
  const [owed, other] = [ask('gold'), ask()];
  gold.permit?.adjust(6);
  gold.permit?.adjust(5);
  // The weight in flight is 14, and gold holds five of its six.
  expect([owed, other].map(isIn)).toEqual([false, false]);
});

it('the inner order applies within a share, and priorities to capacity that is guaranteed to no share', () => {
  const { limiter, many, ask } = divided({ order: byShare({ gold: 0.1 }, byPriority(lifo())) });
  const held = many(10, 'gold');
  const callers = [ask('gold'), ask(), ask('gold', { priority: 'high' }), ask('gold')];
  const turns: number[] = [];
  for (const { permit } of held.slice(0, 4)) {
    permit?.release();
    turns.push(callers.findIndex((one, index) => isIn(one) && !turns.includes(index)));
  }
  expect(turns).toEqual([2, 1, 3, 0]);
  expect(limiter.queued).toBe(0);
});

it('tryAcquire accepts a share', async () => {
  const { limiter } = divided({ limit: 2, order: byShare({ gold: 0.5 }) });
  const held = [limiter.tryAcquire(), limiter.tryAcquire({ share: undefined })];
  const order: string[] = [];
  const plain = limiter.run(() => void order.push('plain'));
  const gold = limiter.run(() => void order.push('gold'), { share: 'gold' });
  held[0]?.release();
  await Promise.all([plain, gold]);
  expect(order).toEqual(['gold', 'plain']);
  const isGold = limiter.tryAcquire({ share: 'gold' });
  expect(isGold).toBeDefined();
  isGold?.release();
  held[1]?.release();
  expect(limiter.inflight).toBe(0);
});

it('each limit of a gate has its own shares', async () => {
  const limits = [
    { name: 'reports', limit: 1, optional: true },
    { name: 'app', limit: 2, order: byShare({ gold: 0.5 }) },
  ];
  const gate = createGate({ limits, queueLimit: 9 });
  const app = (share?: string) => [undefined, { weight: 1, share }];
  const ask = (share?: string) => {
    const caller = new Caller();
    askGate(gate, caller, app(share));
    return caller;
  };
  const [holder] = [ask(), ask()];
  const [plain, gold] = [ask(), ask('gold')];
  holder?.permit?.release();
  expect([plain, gold].map(isIn)).toEqual([false, true]);
  const third = gate.acquire({ shares: { app: 'gold' } });
  gold?.permit?.release();
  (await third).release();
  expect(isIn(plain as Caller)).toBe(true);
  await expect(
    gate.acquire({ shares: { reports: 'gold' }, weights: { reports: 1 } }),
  ).rejects.toThrow('share must be omitted, as the limit has no shares, got "gold"');
  await expect(gate.acquire({ shares: { nowhere: 'gold' } })).rejects.toThrow('no limit "nowhere"');
});

it('an unknown share is an error, and holds nothing', async () => {
  const { limiter } = divided();
  const error = { code: 'ERR_HEADGATE_OPTION', option: 'share' };
  await expect(limiter.acquire({ share: 'silver' })).rejects.toMatchObject(error);
  await expect(limiter.run(() => 1, { share: 'silver' })).rejects.toMatchObject(error);
  expect(() => limiter.tryAcquire({ share: 7 as never })).toThrow(
    'share must be one of gold, free, got 7',
  );
  const without = createLimiter({ limit: 1 });
  expect(() => without.tryAcquire({ share: 'gold' })).toThrow(expect.objectContaining(error));
  expect([limiter.inflight, without.inflight]).toEqual([0, 0]);
});

it.each([
  [{ gold: 0.7, free: 0.4 }, 'shares', 'parts that together are at most 1, got 1.1'],
  [{ gold: 0 }, 'shares.gold', 'a number above 0 and at most 1, got 0'],
  [{ gold: 1.2 }, 'shares.gold', 'a number above 0 and at most 1, got 1.2'],
  [{ gold: Number.NaN }, 'shares.gold', 'a number above 0 and at most 1, got NaN'],
  [{ gold: '0.5' }, 'shares.gold', 'a number above 0 and at most 1, got "0.5"'],
  [{}, 'shares', 'an object with a part for each name'],
  [[0.5], 'shares', 'an object with a part for each name'],
  [null, 'shares', 'an object with a part for each name'],
  [undefined, 'shares', 'an object with a part for each name'],
])('the shares %j are an error', (given, option, message) => {
  const error = { code: 'ERR_HEADGATE_OPTION', option, message: expect.stringContaining(message) };
  expect(() => byShare(given as never)).toThrow(expect.objectContaining(error));
});

it('a sum of parts may exceed 1 by a rounding error', () => {
  expect(byShare({ a: 0.1, b: 0.2, c: 0.7 }).shareNames).toEqual(['a', 'b', 'c']);
  expect(byShare({ a: 1 / 3, b: 1 / 3, c: 1 / 3 }).shareNames).toHaveLength(3);
});

it.each([
  ['byPriority', (order: Order) => byPriority(order)],
  ['fair', (order: Order) => fair(order)],
  ['byShare', (order: Order) => byShare({ gold: 0.5 }, order)],
])('byShare() cannot be nested in %s', (_, around) => {
  const error = { code: 'ERR_HEADGATE_OPTION', option: 'order' };
  expect(() => around(byShare({ gold: 0.5 }))).toThrow(expect.objectContaining(error));
});

/** The mean weight that each share holds if all shares always have waiters. */
function backlogged(limit: number, parts: Record<string, number>, heaviest = 1) {
  const limiter = createLimiter({ limit, queueLimit: Infinity, order: byShare(parts) });
  const names = [...Object.keys(parts), undefined];
  const random = lcg(5);
  const held: { permit: Permit; share: string | undefined }[] = [];
  const ask = (share: string | undefined) => {
    const weight = 1 + Math.floor(random() * heaviest);
    const caller = new Caller({ weight, onGranted: (permit) => void held.push({ permit, share }) });
    caller.share = share;
    limiter.request(caller);
  };
  for (const share of names) for (let count = 0; count < 20; count++) ask(share);
  const sums = new Map<string | undefined, number>();
  for (let turn = 0; turn < 4000; turn++) {
    const [done] = held.splice(Math.floor(random() * held.length), 1);
    done?.permit.release();
    ask(done?.share);
    for (const { permit, share } of held) sums.set(share, (sums.get(share) ?? 0) + permit.weight);
  }
  return names.map((name) => (sums.get(name) ?? 0) / 4000);
}

it.each([
  [2, { a: 0.4, b: 0.3, c: 0.3 }, 1],
  [3, { a: 0.5, b: 0.5 }, 1],
  [5, { a: 0.6, b: 0.4 }, 5],
])('no share starves if the rounded parts exceed a limit of %i', (limit, parts, heaviest) => {
  const means = backlogged(limit, parts, heaviest);
  const wanted = Object.values(parts).map((part) => part * limit);
  for (const [index, part] of wanted.entries()) expect(means[index]).toBeGreaterThan(part * 0.6);
});

it('requests without a share get the rest of the limit, whatever the weights', () => {
  const [a, b, others] = backlogged(10, { a: 0.5, b: 0.3 }, 3);
  expect(a).toBeGreaterThan(3.5);
  expect(b).toBeGreaterThan(2);
  expect(others).toBeGreaterThan(1);
});

it('a rounding error of a part grants no additional permit', () => {
  const { limiter, many } = divided({ limit: 100, order: byShare({ gold: 0.07 }) });
  const others = many(100);
  const gold = many(20, 'gold');
  many(50);
  free(others.slice(0, 10));
  // Seven are owed; the three others go to the oldest waiters, which are gold ones.
  expect(gold.filter(isIn).length).toBe(10);
  const late = divided({ limit: 100, order: byShare({ gold: 0.07 }) });
  const holders = late.many(100);
  const plain = late.many(3);
  const owed = late.many(20, 'gold');
  free(holders.slice(0, 10));
  expect([plain.filter(isIn).length, owed.filter(isIn).length]).toEqual([3, 7]);
  expect(limiter.inflight).toBe(100);
});

it('one grant in ten goes to the oldest waiter, also among shares', () => {
  const order = byShare({ gold: 0.25 }, byPriority());
  const { limiter } = divided({ limit: 4, order });
  const permits: Permit[] = [];
  const ask = (priority: Priority, share?: string) => {
    const caller = new Caller({ onGranted: (permit) => void permits.push(permit) });
    caller.priority = priority;
    caller.share = share;
    limiter.request(caller);
    return caller;
  };
  for (let count = 0; count < 8; count++) ask('high', 'gold');
  const low = ask('low');
  let turns = 0;
  for (; !isIn(low) && turns < 100; turns++) {
    permits.shift()?.release();
    ask('high', 'gold');
  }
  expect(turns).toBeLessThan(15);
});

it('priorities have no effect unless the inner order uses them', () => {
  const { ask, many } = divided({ order: byShare({ gold: 0.1 }) });
  const held = many(10, 'gold');
  const low = ask(undefined, { priority: 'low' });
  const normal = ask();
  free(held.slice(0, 1));
  expect([low, normal].map(isIn)).toEqual([true, false]);
});

it('adjusting a permit changes the weight that its share holds', () => {
  const { ask, many } = divided();
  const gold = ask('gold', { weight: 3 });
  const others = many(7);
  gold.permit?.adjust(6);
  const [plain, more] = [ask(), ask('gold')];
  // Gold now holds its six, so the released permit goes to the oldest waiter.
  free(others.slice(0, 4));
  expect([plain, more].map(isIn)).toEqual([true, false]);
});

it.each([{ light: 1 }, { light: 2 }, { light: 3 }])(
  'a share whose requests are as heavy as the limit gets its part on average, in competition with requests of weight $light',
  ({ light }) => {
    const order = byShare({ heavy: 0.5, light: 0.5 });
    const limiter = createLimiter({ limit: 4, queueLimit: Infinity, order });
    const admitted = { heavy: 0, light: 0 };
    const held: Permit[] = [];
    const ask = (share: 'heavy' | 'light') => {
      const onGranted = (permit: Permit) => {
        admitted[share] += permit.weight;
        held.push(permit);
        ask(share);
      };
      const caller = new Caller({ weight: share === 'heavy' ? 4 : light, onGranted });
      caller.share = share;
      limiter.request(caller);
    };
    for (let count = 0; count < 9; count++)
      for (const share of ['heavy', 'light'] as const) ask(share);
    for (let turn = 0; turn < 600; turn++) held.shift()?.release();
    const part = admitted.heavy / (admitted.heavy + admitted.light);
    expect(part).toBeGreaterThan(0.45);
    expect(part).toBeLessThan(0.55);
  },
);

it.each([
  { weight: 3, passes: true },
  { weight: 2, passes: false },
])(
  'a light request of another share overtakes a waiter of weight $weight whose share has a part of 2: $passes',
  ({ weight, passes }) => {
    const { ask } = divided({ limit: 4, order: byShare({ gold: 0.5, free: 0.5 }) });
    ask('free', { weight: 3 });
    const heavy = ask('gold', { weight });
    const tooHeavy = ask(undefined, { weight: 2 });
    const light = ask('free');
    expect([heavy, tooHeavy, light].map(isIn)).toEqual([false, false, passes]);
  },
);

it('a share accumulates no credit while it has no demand', () => {
  const order = byShare({ heavy: 0.5, light: 0.5 });
  const limiter = createLimiter({ limit: 4, queueLimit: Infinity, order });
  const held: Permit[] = [];
  /** The weight by which the heavy share is ahead of the other. */
  let ahead = 0;
  let furthest = 0;
  const ask = (share: 'heavy' | 'light') => {
    const onGranted = (permit: Permit) => {
      held.push(permit);
      ahead += share === 'heavy' ? permit.weight : -permit.weight;
      furthest = Math.max(furthest, ahead);
      ask(share);
    };
    const caller = new Caller({ weight: share === 'heavy' ? 4 : 1, onGranted });
    caller.share = share;
    limiter.request(caller);
  };
  for (let count = 0; count < 9; count++) ask('light');
  for (let turn = 0; turn < 100; turn++) held.shift()?.release();
  ahead = 0;
  ask('heavy');
  for (let turn = 0; turn < 40; turn++) held.shift()?.release();
  // One request, and no more.
  expect(furthest).toBe(4);
});
