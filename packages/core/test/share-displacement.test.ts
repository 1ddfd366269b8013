import { expect, it } from 'vitest';
import { divided } from './divided-limit.ts';

it('in a full queue, a request of a share below its part displaces a waiter of a share above its part', () => {
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
