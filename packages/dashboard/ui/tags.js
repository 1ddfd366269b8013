import { count, duration } from './words.js';

/** @import { LimitView } from '../src/view.ts' */
/** @import { Context } from './row.js' */

/**
 * What a row says about a limit next to its name: the state that keeps it from its usual work, and the rest.
 *
 * @param {LimitView} view @param {number} now @param {Context} context
 */
export function tagsOf(view, now, { reversion, resumesAt }) {
  const { keys, adaptive, fixed, store, guard, pausedFor } = view;
  const words = [
    pausedFor === undefined ? '' : `paused for ${duration(pausedFor)}`,
    resumesAt === undefined ? '' : `resumes in ${until(resumesAt, now)}`,
    reversion === undefined ? '' : `${returnTo(reversion.to)} in ${until(reversion.at, now)}`,
    adaptive ? (fixed ? 'adaptive, held' : 'adaptive') : '',
    guard?.shedding ? `guard rejects ${Math.round(100 * guard.shedding)} %` : '',
    keys === undefined ? '' : `${count(keys)} ${keys === 1 ? 'key' : 'keys'} in use`,
    store === undefined ? '' : store.up ? 'all processes' : 'store unavailable',
  ];
  return { state: stateOf(view), words: words.filter((each) => each !== '').join(' · ') };
}

/** @param {LimitView} view */
function stateOf({ state, mode }) {
  if (state !== 'open') return state;
  return mode === 'shadow' ? 'shadow mode' : '';
}

/** @param {number | 'adaptive'} value */
function returnTo(value) {
  return value === 'adaptive' ? 'adapts again' : `returns to ${count(value)}`;
}

/** @param {number} at @param {number} now */
function until(at, now) {
  return duration(Math.max(0, at - now));
}
