import { Caller } from '@headgate/test-kit/caller';
import { expect, it } from 'vitest';
import { byPriority, byShare, createGate, createLimiter, fair, type Order } from '../src/index.ts';
import { askGate } from './ask-gate.ts';
import { divided, isIn } from './divided-limit.ts';

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
  ).rejects.toThrow('share must be omitted, as limit "reports" has no shares, got "gold"');
  await expect(gate.acquire({ shares: { nowhere: 'gold' } })).rejects.toThrow('no limit "nowhere"');
});

it('an unknown share is an error, and takes no permit', async () => {
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
  [{ gold: 0.7, free: 0.4 }, 'parts', 'numbers that together are at most 1, got 1.1'],
  [{ gold: 0 }, 'parts.gold', 'a number above 0 and at most 1, got 0'],
  [{ gold: 1.2 }, 'parts.gold', 'a number above 0 and at most 1, got 1.2'],
  [{ gold: Number.NaN }, 'parts.gold', 'a number above 0 and at most 1, got NaN'],
  [{ gold: '0.5' }, 'parts.gold', 'a number above 0 and at most 1, got "0.5"'],
  [{}, 'parts', 'an object with a part for each name'],
  [[0.5], 'parts', 'an object with a part for each name'],
  [null, 'parts', 'an object with a part for each name'],
  [undefined, 'parts', 'an object with a part for each name'],
])('the invalid shares %j throw', (given, option, message) => {
  const error = { code: 'ERR_HEADGATE_OPTION', option, message: expect.stringContaining(message) };
  expect(() => byShare(given as never)).toThrow(expect.objectContaining(error));
});

it('the sum of the parts may exceed 1 by a rounding error', () => {
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
