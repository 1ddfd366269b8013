import { call } from '@headgate/test-kit/caller';
import { lcg } from '@headgate/test-kit/lcg';
import { expect, it } from 'vitest';
import { byPriority, byShare, createLimiter, type Permit, type Priority } from '../src/index.ts';
import { divided, isIn } from './divided-limit.ts';

/** The mean weight that each share holds if all shares always have waiters. */
function backlogged(limit: number, parts: Record<string, number>, heaviest = 1) {
  const limiter = createLimiter({ limit, queueLimit: Infinity, order: byShare(parts) });
  const names = [...Object.keys(parts), undefined];
  const random = lcg(5);
  const held: { permit: Permit; share: string | undefined }[] = [];
  const ask = (share: string | undefined) => {
    const weight = 1 + Math.floor(random() * heaviest);
    call(limiter, { share, weight, onGranted: (permit) => void held.push({ permit, share }) });
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

it('one grant in ten goes to the oldest waiter, even among shares', () => {
  const order = byShare({ gold: 0.25 }, byPriority());
  const { limiter } = divided({ limit: 4, order });
  const permits: Permit[] = [];
  const ask = (priority: Priority, share?: string) => {
    const onGranted = (permit: Permit) => void permits.push(permit);
    return call(limiter, { priority, share, onGranted });
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

it.each([{ light: 1 }, { light: 2 }, { light: 3 }])(
  'a share gets its part on average even if its requests are as heavy as the limit and compete with weight $light',
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
      call(limiter, { share, weight: share === 'heavy' ? 4 : light, onGranted });
    };
    for (let count = 0; count < 9; count++)
      for (const share of ['heavy', 'light'] as const) ask(share);
    for (let turn = 0; turn < 600; turn++) held.shift()?.release();
    const part = admitted.heavy / (admitted.heavy + admitted.light);
    expect(part).toBeGreaterThan(0.45);
    expect(part).toBeLessThan(0.55);
  },
);

it('a share accumulates no credit while it has no requests', () => {
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
    call(limiter, { share, weight: share === 'heavy' ? 4 : 1, onGranted });
  };
  for (let count = 0; count < 9; count++) ask('light');
  for (let turn = 0; turn < 100; turn++) held.shift()?.release();
  ahead = 0;
  ask('heavy');
  for (let turn = 0; turn < 40; turn++) held.shift()?.release();
  // One request, and no more.
  expect(furthest).toBe(4);
});
