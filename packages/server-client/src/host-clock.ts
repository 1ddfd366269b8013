import { type Clock, systemClock } from '@headgate/core';

/** Tells the time, in milliseconds from any origin; never goes back. */
export type LeaseClock = Pick<Clock, 'now'>;

/**
 * Minimum number of milliseconds by which the wall clock must gain at once to count as a suspension. Less is a
 * correction of the clock, or a thread that was interrupted.
 */
const MIN_SUSPENSION = 1_000;

/**
 * A clock that also advances while the host is suspended, since leases expire at the service meanwhile. On Linux, for
 * instance, the monotonic clock stops then, and afterwards the wall clock is further ahead of it.
 *
 * A wall clock that is set forward looks the same. Leases then count as expired, which is safe. If it is set back,
 * nothing changes.
 */
export class HostClock implements LeaseClock {
  /** Milliseconds for which the host was suspended so far. */
  #suspended = 0;
  /** By how much the wall clock was ahead of the monotonic clock. */
  #lead = Infinity;

  constructor(private readonly monotonic: LeaseClock = systemClock) {}

  now(): number {
    const now = this.monotonic.now();
    const lead = Date.now() - now;
    const gained = lead - this.#lead;
    this.#lead = lead;
    if (gained >= MIN_SUSPENSION) this.#suspended += gained;
    return now + this.#suspended;
  }
}
