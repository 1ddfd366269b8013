import { lcg } from '@headgate/test-kit/lcg';
import { expect, it } from 'vitest';
import { slowdownOf, type Work } from '../src/limits/trend.ts';

/** One start per millisecond. */
function work(count: number, rtt: (startedAt: number) => number, kind?: string): Work[] {
  return Array.from({ length: count }, (_, startedAt) => ({
    startedAt,
    rtt: rtt(startedAt),
    kind,
  }));
}

it('the trend is the growth from the first to the last start', () => {
  expect(slowdownOf(work(11, (startedAt) => 100 * 2 ** (startedAt / 10)))).toBeCloseTo(2);
});

it('the trend is 1 for work that becomes faster, and for constant work', () => {
  expect(slowdownOf(work(50, (startedAt) => 100 - startedAt))).toBe(1);
  expect(slowdownOf(work(50, () => 100))).toBe(1);
});

it('the trend is 1 if there is too little work to judge', () => {
  expect(slowdownOf([])).toBe(1);
  expect(slowdownOf(work(7, (startedAt) => 2 ** startedAt))).toBe(1);
  const kinds = Array.from({ length: 8 }, (_, index) => `${index}`);
  expect(slowdownOf(kinds.flatMap((kind) => work(1, () => 100, kind)))).toBe(1);
});

it('the trend is 1 for work that started at the same time', () => {
  const same = work(20, (startedAt) => 1 + startedAt).map(({ rtt }) => ({ startedAt: 5, rtt }));
  expect(slowdownOf(same.map((one) => ({ ...one, kind: undefined })))).toBe(1);
});

it.each([8, 12, 50])('the trend is rarely above 1 by chance: %i samples', (count) => {
  const random = lcg(1);
  const slow = Array.from({ length: 1000 }, () =>
    slowdownOf(work(count, () => 100 * Math.exp(2 * random()))),
  ).filter((slowdown) => slowdown > 1);
  expect(slow.length).toBeLessThan(10);
});

it('the trend compares only work of the same kind: later work of a slower kind is no slowdown', () => {
  const quick = work(20, (startedAt) => 1 + (startedAt % 2), 'quick');
  const slow = work(20, (startedAt) => 1000 + (startedAt % 2), 'slow').map((one) => ({
    ...one,
    startedAt: one.startedAt + 20,
  }));
  expect(slowdownOf([...quick, ...slow])).toBe(1);
  expect(slowdownOf([...quick, ...slow].map((one) => ({ ...one, kind: 'any' })))).toBeGreaterThan(
    100,
  );
});

it('the trend treats all kinds of work beyond the 64th as one', () => {
  const slower = work(200, (startedAt) => 100 * 2 ** (startedAt / 100));
  const unique = slower.map((one, index) => ({ ...one, kind: `${index}` }));
  expect(slowdownOf(unique)).toBeCloseTo(4, 0);
});

it('the trend accepts work that took no time', () => {
  expect(slowdownOf(work(20, () => 0))).toBe(1);
});
