import { type Clock, systemClock } from '@headgate/core';

/** Tells the time, in milliseconds from any origin; never goes back. */
export type LeaseClock = Pick<Clock, 'now'>;

/** Milliseconds that the wall clock must gain at once; less is a correction of it, or a thread that was interrupted. */
const MIN_SUSPENSION = 1_000;

/**
 * A clock that also advances while the host is suspended, during which leases expire at the service. The monotonic clock
 * may stop then, as on Linux; afterwards the wall clock has gained that time on it.
 *
 * A wall clock that is set forward looks the same: leases then count as expired, which is safe. If it is set back,
 * nothing changes.
 */
export class HostClock implements LeaseClock {
  /** Milliseconds for which the host was suspended so far. */
  #suspended = 0;
  /** By how much the wall clock was ahead of the monotonic one. */
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
