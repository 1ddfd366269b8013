import { checkNames, checkSpan } from '../checks.ts';
import { type Clock, checkClock } from '../clock.ts';
import { invalid } from '../errors.ts';
import { outsideRequest } from '../outside-request.ts';
import type { Signal } from './guard.ts';

export interface RoundTripOptions {
  /** Milliseconds, above 0, that a round trip may take. */
  target: number;
  /** Time, for tests. Default: `performance.now()`. */
  clock?: Clock | undefined;
}

/** Milliseconds from the end of one round trip to the beginning of the next. */
const INTERVAL_MS = 100;

/**
 * A signal for `guard()` that measures how long a server takes to answer: `roundTrip(() => redis.ping(), { target: 20
 * })`. It calls `ask` at most ten times a second, one call at a time, and only while requests arrive. A rejected
 * promise counts as an answer, since requests do not wait for a server that refuses them. Not for Cloudflare Workers,
 * where the promise of a request that has ended may never settle.
 *
 * @throws HeadgateError for an unknown or invalid option.
 */
export function roundTrip(ask: () => PromiseLike<unknown>, options: RoundTripOptions): Signal {
  if (typeof ask !== 'function') throw invalid('ask', 'a function', ask);
  checkNames('roundTrip', options, ['target', 'clock']);
  const target = checkSpan('target', options.target);
  const clock = checkClock(options.clock);
  let latest = 0;
  let askedAt: number | undefined;
  let answeredAt = -Infinity;
  const answered = () => {
    answeredAt = clock.now();
    latest = answeredAt - (askedAt ?? answeredAt);
    askedAt = undefined;
  };
  const start = async () => {
    try {
      await ask();
    } catch {
      // Ignored: the requests themselves report what has failed.
    }
    answered();
  };
  const delay = () => {
    const now = clock.now();
    if (askedAt === undefined && now - answeredAt >= INTERVAL_MS) {
      askedAt = now;
      void outsideRequest(start);
    }
    return Math.max(latest, now - (askedAt ?? now));
  };
  return { delay, target };
}
