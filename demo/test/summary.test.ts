import { describe, expect, test } from 'vitest';
import { answeredPerSecond, percentile, recovery, summarize } from '../src/summary.ts';
import { attempt, steady } from './attempts.ts';

describe('percentile', () => {
  const values = [30, 10, 20, 40];
  test('is the nearest rank, in any order', () => {
    expect(percentile(values, 50)).toBe(20);
    expect(percentile(values, 51)).toBe(30);
    expect(percentile(values, 99)).toBe(40);
    expect(percentile(values, 0)).toBe(10);
  });
  test('sorts unanswered requests above all others', () => {
    expect(percentile([1, Number.POSITIVE_INFINITY, 2], 99)).toBe(Number.POSITIVE_INFINITY);
    expect(percentile([1, Number.POSITIVE_INFINITY, 2], 50)).toBe(2);
  });
  test('is undefined for no values', () => expect(percentile([], 50)).toBeUndefined());
});

describe('answeredPerSecond', () => {
  test('counts an answer when it arrives, not when it was requested', () => {
    const attempts = [attempt(900, 'answered', 50), attempt(950, 'answered', 100)];
    expect(answeredPerSecond(attempts, 0, 1_000)).toBe(1);
    expect(answeredPerSecond(attempts, 1_000, 1_500)).toBe(2);
  });
  test('counts only answers', () => {
    const attempts = [attempt(0, 'gaveUp'), attempt(0, 'rejected'), attempt(0, 'failed')];
    expect(answeredPerSecond(attempts, 0, 1_000)).toBe(0);
  });
});

describe('recovery', () => {
  test('starts at the first of five in a row', () => {
    const attempts = [
      attempt(1_000, 'gaveUp'),
      attempt(1_100),
      attempt(1_200, 'gaveUp'),
      ...[1_300, 1_400, 1_500, 1_600, 1_700].map((due) => attempt(due)),
      attempt(1_800, 'gaveUp'),
    ];
    expect(recovery(attempts, 1_000)).toBe(300);
  });
  test('is undefined with fewer than five', () => {
    expect(recovery(steady(1_000, 1_400, 10), 1_000)).toBeUndefined();
    expect(recovery([], 1_000)).toBeUndefined();
  });
  test('considers only requests after the spike', () => {
    expect(recovery(steady(0, 1_000, 10), 1_000)).toBeUndefined();
  });
});

describe('summarize', () => {
  const spike = { name: 'spike', from: 1_000, to: 3_000, rate: 40 } as const;
  const attempts = [
    ...steady(0, 1_000, 5),
    ...steady(1_000, 2_000, 10),
    ...steady(2_000, 3_000, 4),
    ...steady(1_000, 3_000, 20, 'rejected'),
    ...steady(1_000, 3_000, 3, 'gaveUp'),
    ...steady(3_000, 5_000, 5),
  ];
  const summary = summarize(attempts, spike, { done: 30, wasted: 6 });

  test('counts the requests sent during the spike', () => {
    expect(summary).toMatchObject({ sent: 60, rejected: 40, gaveUp: 6, failed: 0 });
  });
  test('finds the worst second', () => {
    expect(summary.rate).toBe(7);
    expect(summary.worstRate).toBe(4);
  });
  test('counts a client that gave up as the longest wait', () => {
    expect(summary.p50).toBe(0);
    expect(summary.p99).toBe(Number.POSITIVE_INFINITY);
  });
  test("reports the generator's lateness", () => expect(summary.lag).toBe(1));
});
