import { describe, expect, test } from 'vitest';
import { inOrder } from '../../src/invariants/order.ts';
import { breaks, emptyLog, holds, LogBuilder } from '../log-builder.ts';

describe('first in, first out', () => {
  const steady = [0, 300, 600, 900];

  test('a later waiter may be granted later', () => {
    holds(
      inOrder,
      emptyLog()
        .waits('a', '1', steady, [600, 950])
        .waits('b', '2', [50, 350, 650, 950], [950, 1_000])
        .waits('c', '3', [60, 1_000, 1_300]),
    );
  });

  test('a later waiter must not be granted while an earlier one is still queued', () => {
    const passed = (asked: readonly number[]) =>
      emptyLog().waits('a', '1', asked, [900, 950]).waits('b', '2', [50, 350], [350, 500]);
    breaks(inOrder, passed(steady), /b of B passed a of A/);
    // It had not been renewed, and was not certainly in the queue all the time.
    expect(inOrder(passed([0, 1_600]).log)).toEqual({ checked: 0, broken: [] });
    // Its deadline may have passed when it asked again.
    const late = emptyLog()
      .waits('a', '1', steady, undefined, 450)
      .waits('b', '2', [50, 350], [350, 500]);
    expect(inOrder(late.log)).toEqual({ checked: 0, broken: [] });
  });

  test('if a queue position is certain for less than a lease, fewer violations are provable', () => {
    const passed = (certain: number) =>
      new LogBuilder(1, certain)
        .waits('a', '1', [0, 600], [900, 950])
        .waits('b', '2', [50], [350, 500]);
    breaks(inOrder, passed(1_000), /b of B passed a of A/);
    expect(inOrder(passed(500).log)).toEqual({ checked: 0, broken: [] });
  });

  test('a caller that is granted without waiting must not pass a waiter', () => {
    breaks(
      inOrder,
      emptyLog().waits('a', '1', steady, [900, 950]).waits('b', undefined, [], [350, 400]),
      /b of B passed a of A/,
    );
  });

  test("without queue positions, a waiter queued before the other one's request comes first", () => {
    const pair = (asked: number) =>
      emptyLog()
        .waits('a', undefined, steady, [900, 950])
        .waits('b', undefined, [asked], [350, 500]);
    breaks(inOrder, pair(50), /b of B passed a of A/);
    // Both requests were in progress at the same time.
    expect(inOrder(pair(5).log)).toEqual({ checked: 0, broken: [] });
    // It was not renewed in time, and was enqueued again.
    const again = emptyLog()
      .waits('a', undefined, [-2_000, ...steady], [900, 950])
      .waits('b', undefined, [-500], [350, 500]);
    expect(inOrder(again.log).broken).toEqual([]);
    holds(inOrder, pair(-50));
  });

  test('for one lease after a loss of state, new callers may overtake waiters', () => {
    const passed = () =>
      emptyLog().waits('a', '1', steady, [900, 950]).waits('b', '2', [50], [350, 500]);
    expect(inOrder(passed().lost(200).log).broken).toEqual([]);
    breaks(inOrder, passed().lost(-2_000), /passed/);
    breaks(inOrder, passed().lost(600), /passed/);
  });
});
