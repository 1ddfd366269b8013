import type { Clock } from '@headgate/core';
import { maxTimer } from '@headgate/store-kit';

/** Milliseconds after which an unused process sends no more statements. */
const IDLE_AFTER = 1_000;

/** The last statement of a process must be answered before its connections are closed. */
export const MIN_IDLE_TIMEOUT = 2 * IDLE_AFTER;

export interface IdleTimerOptions {
  readonly clock: Clock;
  /** Milliseconds after which the connections of an unused process are closed; Infinity: never. */
  readonly idleTimeout: number;
  /** Whether this process holds or awaits a permit. */
  isActive(): boolean;
  /** Called when the process is unused: stops everything that sends statements on its own. */
  suspend(): void;
  /** Called when the process has been unused for `idleTimeout`. */
  disconnect(): void;
}

/**
 * Detects that a process is unused: it holds no permit, has no waiter, and sends no operations. It then needs no
 * failure detector, and sends nothing to the database. Since stopping and resuming cost a statement each, it first
 * waits for a second.
 */
export class IdleTimer {
  readonly #options: IdleTimerOptions;
  /** Whether the process sends nothing before the next call. True at first, since a new store has no connection. */
  isIdle = true;
  #usedAt = -Infinity;
  #timer: unknown;

  constructor(options: IdleTimerOptions) {
    this.#options = options;
  }

  /** Called for each operation of the store. */
  used(): void {
    this.#usedAt = this.#options.clock.now();
    if (this.#timer === undefined) this.#checkIn(IDLE_AFTER);
  }

  /** Ends the idle state: the process joins the failure detector again. */
  wake(): void {
    this.isIdle = false;
    this.used();
  }

  close(): void {
    this.#options.clock.clearTimeout(this.#timer);
  }

  #check(): void {
    const { clock, idleTimeout, isActive, suspend, disconnect } = this.#options;
    // Compared with the times of the timers: the time since the last use could be rounded below these.
    const now = clock.now();
    const idleAt = this.#usedAt + IDLE_AFTER;
    const disconnectAt = this.#usedAt + idleTimeout;
    if (isActive()) this.used();
    else if (now < idleAt) this.#checkIn(idleAt - now);
    else {
      if (!this.isIdle) suspend();
      this.isIdle = true;
      if (now >= disconnectAt) disconnect();
      else this.#checkIn(disconnectAt - now);
    }
  }

  #checkIn(delay: number): void {
    const check = () => {
      this.#timer = undefined;
      this.#check();
    };
    const timer = this.#options.clock.setTimeout(check, Math.min(delay, maxTimer));
    (timer as Partial<NodeJS.Timeout>).unref?.();
    this.#timer = timer;
  }
}
