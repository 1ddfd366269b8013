import { checkSpan } from '@headgate/core/engine';
import { checkCount, invalid } from '@headgate/core/options';

/** Options of every store. */
export interface StoreOptions {
  /**
   * Milliseconds for which a permit is held without renewal; a process that is killed occupies its permits for up to
   * this long. At least 100, and at least three times `timeout`, because leases are renewed every third of it. Default:
   * 10,000.
   */
  readonly leaseDuration?: number | undefined;
  /** Maximum duration of a call in milliseconds. Default: 1,000, or a third of `leaseDuration` if that is shorter. */
  readonly timeout?: number | undefined;
  /**
   * How many times in a row a permit of any limit may pass to a waiter of the same process, for at most 100 ms, before
   * it returns to the store. This saves round trips, but waiters of other processes wait longer. A whole number from 0
   * to 100. Default: 0, which keeps strict order of arrival over all processes.
   */
  readonly handoff?: number | undefined;
  /**
   * How many idle permits of each limit, or key of it, the process keeps, each for 100 ms or until other processes have
   * waiters. Most requests then need no round trip. A whole number from 0; no effect on a limit of 1. Default: 0.
   */
  readonly reserve?: number | undefined;
  /** The store's name in metrics, where an app has several. Default: the kind of store, such as `redis`. */
  readonly name?: string | undefined;
}

const MIN_LEASE_MS = 100;
/** The highest value that is still a whole number of milliseconds in every server. */
const MAX_LEASE_MS = 1e12;

/**
 * Checks the duration of a store's leases, which it rounds down to whole milliseconds, and adds the default times.
 *
 * @throws HeadgateError unless `leaseDuration` is a number from 100 to 1,000,000,000,000.
 */
export function checkTimes(options: Pick<StoreOptions, 'leaseDuration' | 'timeout'>): {
  /** Milliseconds for which a permit is held without renewal. */
  readonly leaseDuration: number;
  /** Maximum time of a call in milliseconds. */
  readonly timeout: number;
} {
  const leaseDuration = Math.floor(checkSpan('leaseDuration', options.leaseDuration ?? 10_000));
  if (leaseDuration < MIN_LEASE_MS || leaseDuration > MAX_LEASE_MS) {
    const expected = `a number of milliseconds from ${MIN_LEASE_MS} to ${MAX_LEASE_MS}`;
    throw invalid('leaseDuration', expected, options.leaseDuration);
  }
  return { leaseDuration, timeout: options.timeout ?? Math.min(1_000, leaseDuration / 3) };
}

/**
 * Each lease takes one fencing token for each possible hand-off. Stores number tokens by their clock, in microseconds,
 * and the clock must stay ahead of the tokens at up to 10,000 grants per second: after a total loss of data, tokens
 * continue from the clock.
 */
const MAX_HANDOFF = 100;

export function checkHandoff(handoff: number): number {
  checkCount('handoff', handoff, 0);
  if (handoff > MAX_HANDOFF) throw invalid('handoff', `at most ${MAX_HANDOFF}`, handoff);
  return handoff;
}
