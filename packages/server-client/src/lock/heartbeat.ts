import { maxTimer, outsideRequest } from '@headgate/store-kit';
import type { LeaseClock } from '../host-clock.ts';

/** A lease is renewed after this fraction of it. If that fails, there is time for two more attempts. */
const RENEWAL_PART = 1 / 3;
/** A failed renewal is retried after this fraction of the lease. */
const RETRY_PART = 1 / 12;
/**
 * The lock counts as held for this fraction of the lease, measured from the time at which the renewal was sent. The
 * rest is a margin for late timers.
 */
const SAFE_PART = 0.9;

export interface HeartbeatOptions {
  /** Milliseconds. */
  readonly leaseDuration: number;
  readonly clock: LeaseClock;
  /** Tries to renew the lease. Never rejects. */
  readonly beat: () => Promise<void>;
  /** Called when the lease may have expired at the service. */
  readonly lost: () => void;
}

/**
 * Renews a lease, and reports it lost in time if the service cannot be reached. Its timer does not keep the process
 * alive.
 */
export class Heartbeat {
  readonly #options: HeartbeatOptions;
  #renewedAt = -Infinity;
  #due = Infinity;
  #isBeating = false;
  #isRunning = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: HeartbeatOptions) {
    this.#options = options;
  }

  /** Milliseconds until the service can let the lease expire. */
  get timeLeft(): number {
    return this.#renewedAt + this.#options.leaseDuration - this.#options.clock.now();
  }

  /** Called when the service has renewed the lease. The request was sent at this time of the clock. */
  hear(sent: number): void {
    this.#renewedAt = Math.max(this.#renewedAt, sent);
    this.#due = this.#renewedAt + this.#options.leaseDuration * RENEWAL_PART;
    if (this.#isRunning) this.#wake();
  }

  start(): void {
    this.#isRunning = true;
    this.#wake();
  }

  stop(): void {
    this.#isRunning = false;
    clearTimeout(this.#timer);
  }

  #wake(): void {
    clearTimeout(this.#timer);
    const next = Math.min(this.#isBeating ? Infinity : this.#due, this.#safeUntil);
    const delay = Math.min(Math.max(next - this.#options.clock.now(), 0), maxTimer);
    this.#timer = outsideRequest(() => setTimeout(() => this.#check(), delay)).unref();
  }

  get #safeUntil(): number {
    return this.#renewedAt + this.#options.leaseDuration * SAFE_PART;
  }

  #check(): void {
    const now = this.#options.clock.now();
    if (now >= this.#safeUntil) {
      this.stop();
      this.#options.lost();
    } else {
      if (now >= this.#due && !this.#isBeating) void this.#beat();
      this.#wake();
    }
  }

  async #beat(): Promise<void> {
    const { leaseDuration, clock, beat } = this.#options;
    this.#isBeating = true;
    this.#due = clock.now() + leaseDuration * RETRY_PART;
    await beat();
    this.#isBeating = false;
    if (this.#isRunning) this.#wake();
  }
}
