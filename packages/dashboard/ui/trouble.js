/** @import { LimitView } from '../src/view.ts' */
/** @import { Sample } from './chart.js' */

/** Milliseconds for which trouble counts after its end. Without that, rows would change their places each second. */
const RECENT_MS = 60_000;
/** A limit is near from this fraction in use. */
const NEAR = 0.8;

/** From none to the worst, with what the summary says about limits that have it. */
export const troubles = /** @type {const} */ ([
  ['none', '', ''],
  ['near', 'is near its limit', 'are near their limits'],
  [
    'shadow',
    'would reject requests without shadow mode',
    'would reject requests without shadow mode',
  ],
  ['stopped', 'is paused or rejecting', 'are paused or rejecting'],
  ['queues', 'queues requests', 'queue requests'],
  ['rejects', 'rejects requests', 'reject requests'],
  ['store', 'cannot reach its store', 'cannot reach their stores'],
]);

/** @typedef {typeof troubles[number][0]} Trouble */

/** @param {LimitView} view @param {number} now @param {readonly Sample[]} samples @returns {Trouble} */
export function troubleOf({ store, state, pausedFor, keys }, now, samples) {
  const recent = samples.filter(({ at }) => at > now - RECENT_MS);
  if (store?.up === false) return 'store';
  if (recent.some(({ rejected = 0 }) => rejected > 0)) return 'rejects';
  if (recent.some(({ used, demand }) => demand > used)) return 'queues';
  if (state === 'paused' || state === 'rejecting' || pausedFor !== undefined) return 'stopped';
  if (recent.some(({ wouldReject = 0 }) => wouldReject > 0)) return 'shadow';
  // The limit of a gate is 0; each key has a limit of its own.
  const isNear = recent.some(({ used, max }) => max > 0 && used >= NEAR * max);
  return isNear && keys === undefined ? 'near' : 'none';
}

/** @param {Trouble} trouble */
export function rankOf(trouble) {
  return troubles.findIndex(([name]) => name === trouble);
}
