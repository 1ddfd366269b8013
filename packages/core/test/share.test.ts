import { expect, it } from 'vitest';
import { byPriority, byShare, lifo } from '../src/index.ts';
import { divided, free, isIn } from './divided-limit.ts';

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

it('of two shares below their parts, the share that holds the smaller fraction is served first', () => {
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

it('parts follow a changed limit', () => {
  const { limiter, many } = divided();
  const held = many(10, 'free');
  limiter.setLimit(5);
  const gold = many(5, 'gold');
  const more = many(5, 'free');
  free(held);
  // Gold holds its three of five; the other two go to `free`, which is below its part until then.
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

it('the inner order applies within a share; priorities apply to capacity that no share is guaranteed', () => {
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

it('priorities have no effect unless the inner order uses them', () => {
  const { ask, many } = divided({ order: byShare({ gold: 0.1 }) });
  const held = many(10, 'gold');
  const low = ask(undefined, { priority: 'low' });
  const normal = ask();
  free(held.slice(0, 1));
  expect([low, normal].map(isIn)).toEqual([true, false]);
});
