import { describe, expect, it } from 'vitest';
import { decide, decideDrop, initialState, type State } from '../src/limits/decide.ts';
import type { Seen } from '../src/limits/window.ts';

/** A window under a limit of 100 that is used, in which work is as fast as without load. */
const usual: Seen = {
  limit: 100,
  slowdown: 0,
  margin: 0,
  baselineMargin: 0,
  isUsed: true,
  isLight: false,
  inflight: 100,
  capacity: 100,
};
const started: State = { ...initialState, isStarting: false };
/** Recently, this weight was in flight while work was not slow. */
const busy: State = { ...started, usual: 90 };
const after = (state: State, changes: Partial<Seen> = {}) =>
  decide(state, { ...usual, ...changes }, 1);
/** Work takes this many times as long as without load. */
const times = (factor: number) => ({ slowdown: Math.log(factor) });

describe('after the start', () => {
  it('a limit that is used grows by its square root', () => {
    expect(after(started)).toMatchObject({ limit: 110, state: { reason: 'used' } });
  });

  it('a limit that is not used stays', () => {
    expect(after(started, { isUsed: false })).toMatchObject({
      limit: 100,
      state: { reason: undefined },
    });
  });

  it('slow work lowers the limit by a tenth to three tenths', () => {
    const limitAt = (factor: number) => after(started, times(factor)).limit;
    expect(limitAt(1.45)).toBeCloseTo(90);
    expect(limitAt(1.75)).toBeCloseTo(80);
    expect(limitAt(9)).toBeCloseTo(70);
    expect(after(started, times(2)).state.reason).toBe('slower');
  });

  it.each(['margin', 'baselineMargin'])(
    'the limit stays while the %s may explain slow work',
    (error) => {
      expect(after(started, { ...times(2), [error]: 0.5 }).limit).toBe(100);
    },
  );
});

describe('after the limit was lowered', () => {
  /** Two slow windows: only the second one was slow from its beginning, so that the next can be compared with it. */
  const first = after(started, times(2));
  const second = after(first.state, { ...times(2), limit: first.limit });
  const next = (factor: number, changes: Partial<Seen> = {}, state = second.state) =>
    after(state, { ...times(factor), limit: second.limit, ...changes });

  it('it falls further if that has helped', () => {
    expect(next(1.6).limit).toBeLessThan(second.limit);
  });

  it('it returns if that has not helped, and the second time the work counts as slower', () => {
    const futile = next(2);
    expect(futile).toMatchObject({ limit: first.limit, state: { reason: 'did not help' } });
    expect(futile.shift).toBeUndefined();
    const again = after(futile.state, { ...times(2), limit: first.limit });
    expect(again.limit).toBeCloseTo(second.limit);
    expect(next(2, {}, again.state)).toMatchObject({ limit: 100, shift: Math.log(2) });
  });

  it('it falls further until the effect is not chance', () => {
    const unclear = next(2.5, { margin: 0.4 });
    expect(unclear.limit).toBeLessThan(second.limit);
    expect(unclear.state.before).toEqual(second.state.before);
  });

  it('it returns if work is fast and the limit is not used', () => {
    expect(next(1, { isUsed: false })).toMatchObject({
      limit: 100,
      state: { reason: 'recovered' },
    });
  });

  it('it grows as usual if work is fast and the limit is used', () => {
    expect(next(1)).toMatchObject({ state: { reason: 'used', returnTo: 0 } });
  });
});

describe('if less work is done than usual', () => {
  const less = { ...times(8), capacity: 12 };
  const first = after(busy, less);

  it('the first slow window changes nothing, and the next ones lower the limit by a tenth', () => {
    expect(first.limit).toBe(100);
    expect(after(first.state, less).limit).toBeCloseTo(90);
    expect(after({ ...busy, isSlow: true }, { ...times(8), capacity: 90 }).limit).toBeCloseTo(70);
  });

  it('the limit returns once as much is done as before', () => {
    const { limit, state } = after(first.state, less);
    expect(after(state, { limit, capacity: 20 }).state.reason).toBe('used');
    expect(after(state, { limit, capacity: 80 })).toMatchObject({
      limit: 100,
      state: { reason: 'recovered' },
    });
  });
});

it('at the capacity, a limit grows only as far as work does not become slow', () => {
  expect(after(started, times(1.3)).limit).toBeCloseTo(100 * (1.4 / 1.3));
  expect(after(started, times(1)).limit).toBe(110);
});

it('work that would be slow even alone, or at the minimum, counts as slower', () => {
  const slow = { ...started, isSlow: true };
  expect(after(slow, { ...times(20), limit: 10 }).shift).toBeCloseTo(Math.log(20));
  expect(decide(started, { ...usual, ...times(3), limit: 8.5 }, 8).shift).toBeCloseTo(Math.log(3));
});

describe('at the start', () => {
  const uncertain = { baselineMargin: 0.1, capacity: 21 };

  it('the first overload lowers the limit below the capacity while the baseline is uncertain, and otherwise step by step', () => {
    const { limit, state } = after(initialState, { ...times(3), ...uncertain });
    expect(limit).toBeCloseTo(15);
    expect(state).toMatchObject({ reason: 'slower', isStarting: false });
    expect(after(initialState, { ...times(3), capacity: 21 }).limit).toBeCloseTo(70);
  });

  it('the first overload does not lower the limit below what was usual', () => {
    const seen = { ...times(8), ...uncertain, capacity: 30 };
    expect(after({ ...initialState, usual: 40 }, seen).limit).toBe(40);
  });

  it.each([
    [1.7, 100],
    [3, 15],
  ])(
    'two windows of work that takes %d times as long lower a limit of 100 that is not used to %d',
    (factor, limit) => {
      const seen = { ...times(factor), ...uncertain, isUsed: false };
      const first = after(initialState, seen);
      expect(first.limit).toBe(100);
      expect(after(first.state, seen).limit).toBeCloseTo(limit);
    },
  );

  it('a window does not change the limit while work is fast, or slow by chance', () => {
    expect(after(initialState)).toMatchObject({
      limit: 100,
      state: { isStarting: true, isSlow: false },
    });
    expect(after(initialState, { ...times(3), margin: 1 }).limit).toBe(100);
  });
});

describe('after drops', () => {
  it('the limit doubles up to nine tenths of the one before', () => {
    let { limit, state } = decideDrop(started, 100);
    for (let drops = 0; drops < 30; drops++) ({ limit, state } = decideDrop(state, limit));
    expect(limit).toBeLessThan(5);
    const reasons: (string | undefined)[] = [];
    for (let windows = 0; windows < 10 && limit < 90; windows++) {
      ({ limit, state } = after(state, { ...times(limit < 40 ? 3 : 1), limit }));
      reasons.push(state.reason);
    }
    expect(limit).toBe(90);
    expect(new Set(reasons)).toEqual(new Set(['recovered']));
  });

  it('a drop on the way back lowers the limit to return to', () => {
    const state = { ...started, returnTo: 90 };
    expect(decideDrop({ ...state, reason: 'recovered' }, 20).state.returnTo).toBe(81);
    expect(decideDrop({ ...state, reason: 'dropped' }, 20).state.returnTo).toBe(90);
  });
});
