import { TOLERANCE } from './limit.ts';
import { marginOf, type Seen, SLOW } from './window.ts';

/** A drop lowers the limit by this factor, and slow work by at least as much. */
const BACKOFF = 0.9;

/** Slow work lowers the limit by at most this factor. */
const MIN_BACKOFF = 0.7;

/** With this margin of error, a baseline is certain enough to lower the limit step by step from the start on. */
const MAX_CERTAIN_MARGIN = 0.05;

/** `State.usual` follows a higher load within `WINDOWS_UP` windows, and a lower one within `WINDOWS_DOWN`. */
const WINDOWS_UP = 2;
const WINDOWS_DOWN = 8;

/** Why an adaptive limit has changed. */
export type Reason = 'used' | 'slower' | 'did not help' | 'recovered' | 'dropped' | 'stuck';

/** What earlier windows have shown. */
export interface State {
  readonly reason: Reason | undefined;
  /** Whether the limit rises with each finished request, until work is slow. */
  readonly isStarting: boolean;
  /** Whether work was slow in the latest window. */
  readonly isSlow: boolean;
  /** The weight that was recently in flight while work was not slow. */
  readonly usual: number;
  /** Whether less work was done than usual while it was slow, which no overload explains. */
  readonly isUnexplained: boolean;
  /** What was seen before the decreases whose effect is not known yet. */
  readonly before: Seen | undefined;
  /** Whether the latest decreases have not helped. */
  readonly isFutile: boolean;
  /** The limit to return to: that before the drops, or before the decreases that have not been shown to help. */
  readonly returnTo: number;
}

/** A change of the limit. `state.reason` says why. */
export interface Decision {
  readonly limit: number;
  readonly state: State;
  /** By which slowdown the work itself has become slower, whatever the limit. Default: 0. */
  readonly shift?: number;
}

export const initialState: State = {
  reason: undefined,
  isStarting: true,
  isSlow: false,
  usual: 1,
  isUnexplained: false,
  before: undefined,
  isFutile: false,
  returnTo: 0,
};

/** Whether drops have lowered the limit so far that slow work cannot be an overload. */
export function isFarBelowReturn(limit: number, { reason, returnTo }: State): boolean {
  return (reason === 'dropped' || reason === 'recovered') && limit < returnTo / 2;
}

/** Whether the limit has just fallen to where the baseline is learnt: below the capacity, by a first decrease. */
export function hasJustFallen({ isStarting, isSlow, reason, before }: State): boolean {
  return !isStarting && isSlow && reason === 'slower' && before === undefined;
}

/** Decides how a window of finished work changes the limit. */
export function decide(state: State, seen: Seen, min: number): Decision {
  const isFast = seen.slowdown <= SLOW || isFarBelowReturn(seen.limit, state);
  return isFast ? decideFast(state, seen) : decideSlow(state, seen, min);
}

/** Lowers the limit because work was dropped. */
export function decideDrop({ reason, returnTo, usual }: State, limit: number): Decision {
  const to = limit * BACKOFF;
  // A drop on the way back shows that the earlier limit is too high.
  const earlier = reason === 'recovered' ? returnTo * BACKOFF : returnTo;
  const state = { ...initialState, isStarting: false, usual, reason: 'dropped' as const };
  return { limit: to, state: { ...state, returnTo: Math.max(to, earlier) } };
}

/** Whether less work is done than usual, relative to the limit. By Little's law, an overload does not reduce it. */
function doesLess({ usual }: State, { capacity, limit }: Seen): boolean {
  return capacity * TOLERANCE < Math.min(usual, limit);
}

/** How much is usually done, from the work of another window. */
function usualAfter({ usual }: State, { inflight, capacity }: Seen): number {
  const done = Math.min(inflight, capacity);
  return usual + (done - usual) / (done > usual ? WINDOWS_UP : WINDOWS_DOWN);
}

function decideFast(state: State, seen: Seen): Decision {
  const { limit, isUsed, slowdown } = seen;
  const { isStarting, isUnexplained, returnTo, reason } = state;
  const usual = usualAfter(state, seen);
  const next = { ...state, isSlow: false, before: undefined, isFutile: false, usual };
  if (isStarting || (!isUsed && limit >= returnTo)) return { limit, state: next };
  // A limit that is not used cannot be the reason that work is fast again. If less work was done, neither can a lower one.
  const mayReturn = !isUsed || reason !== 'slower' || (isUnexplained && !doesLess(state, seen));
  if (limit < returnTo && mayReturn) {
    const to = isUsed ? Math.max(limit + 1, Math.min(2 * limit, returnTo)) : returnTo;
    return { limit: to, state: { ...next, reason: 'recovered' } };
  }
  // At the capacity, a higher limit makes work slower in proportion. It must not become slow.
  const growth = Math.min(Math.sqrt(limit), limit * Math.expm1(SLOW - Math.max(0, slowdown)));
  const grown = { ...next, isUnexplained: false, returnTo: 0, reason: 'used' as const };
  return { limit: limit + growth, state: grown };
}

function decideSlow(state: State, seen: Seen, min: number): Decision {
  const { limit, isUsed } = seen;
  const excess = seen.slowdown - marginOf(seen);
  const isSlow = excess > SLOW;
  const isUnexplained = doesLess(state, seen);
  const stay = { limit, state: { ...state, isSlow } };
  // Waits for a second window if that costs little, or if a lower limit would hardly help.
  if (isSlow && !state.isSlow && (isUnexplained || !isUsed)) {
    return { limit, state: { ...stay.state, isUnexplained } };
  }
  if (state.isStarting && seen.baselineMargin > MAX_CERTAIN_MARGIN) {
    // A few first samples may be short by chance, and a limit that is not used delays no work.
    const isClear = isSlow && (isUsed || excess > 2 * SLOW);
    if (isClear) return endStart(state, seen);
    return { limit, state: { ...stay.state, usual: usualAfter(state, seen) } };
  }
  const isTested = isSlow || state.before !== undefined;
  return isTested ? lower(state, seen, min) : stay;
}

/**
 * The first overload, of a limit that has risen with each request: the limit falls below the capacity, where the next
 * window improves the baseline.
 */
function endStart(state: State, { limit, capacity }: Seen): Decision {
  const next = { ...state, isStarting: false, isSlow: true, isUnexplained: false, returnTo: limit };
  const to = Math.min(limit, Math.max(state.usual, capacity / TOLERANCE));
  return { limit: to, state: { ...next, reason: 'slower' } };
}

/** Lowers the limit while that helps. Otherwise it returns, and the second time the work itself counts as slower. */
function lower(state: State, seen: Seen, min: number): Decision {
  const { limit, slowdown, margin } = seen;
  const { before, isFutile, isSlow, isUnexplained } = state;
  const next = { ...state, isStarting: false, isSlow: true };
  const untested = { ...next, before: undefined, isFutile: false };
  // No lower limit is left to test, or even a single request would be slow.
  if (Math.floor(limit) <= min || (isSlow && Math.exp(slowdown - margin) > limit)) {
    return { limit, state: untested, shift: slowdown };
  }
  const effect = before && effectOf(before, seen);
  if (before !== undefined && effect === 'none') {
    const returned = { ...untested, reason: 'did not help' as const };
    if (!isFutile) return { limit: before.limit, state: { ...returned, isFutile: true } };
    const to = Math.max(before.limit, state.returnTo);
    return { limit: to, state: returned, shift: slowdown };
  }
  // If work became slow within this window, the next one cannot be compared with it.
  const measured = isSlow ? seen : undefined;
  const lowered = {
    ...next,
    reason: 'slower' as const,
    before: effect === 'unclear' ? before : measured,
    isFutile: isFutile && effect !== 'helped',
    returnTo: effect === 'helped' ? limit : Math.max(limit, state.returnTo),
  };
  const least = isUnexplained ? BACKOFF : MIN_BACKOFF;
  const backoff = Math.max(least, Math.min(BACKOFF, Math.exp(SLOW - slowdown)));
  return { limit: limit * backoff, state: lowered };
}

/** Whether a lower limit has made work faster, by at least half as much as an overload would explain. */
function effectOf(before: Seen, after: Seen): 'helped' | 'none' | 'unclear' {
  const improvement = before.slowdown - after.slowdown;
  const enough = Math.log(before.limit / after.limit) / 2;
  const chance = Math.hypot(before.margin, after.margin);
  if (improvement >= Math.max(enough, chance)) return 'helped';
  return enough >= chance ? 'none' : 'unclear';
}
