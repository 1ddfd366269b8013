import type { Clock } from '@headgate/core';
import { certainPart } from '@headgate/store-kit';
import { GRACE_PERIOD } from './failure-detector.sql.ts';

export interface LivenessOptions {
  readonly clock: Clock;
  /** Milliseconds. */
  readonly leaseDuration: number;
  /** Called when liveness is lost, and then three times per `GRACE_PERIOD` until it is regained. */
  readonly renew: () => void;
}

/**
 * A period during which other processes may have considered this process dead, since they could not see that it is
 * alive.
 */
interface Loss {
  at: number;
  until: number;
}

/**
 * Whether other processes know that this process is alive. While it has no connection that shows this, they may
 * consider it dead at any moment. Its leases then expire a second later, unless they are renewed.
 */
export class Liveness {
  readonly #options: LivenessOptions;
  /** In chronological order. */
  #losses: Loss[] = [];
  #isClosed = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: LivenessOptions) {
    this.#options = options;
  }

  /** Until when a lease renewed at `sent` is certain, apart from its own duration. */
  certainUntil(sent: number): number {
    const loss = this.#losses.find(({ until }) => sent < until);
    return loss === undefined ? Infinity : Math.max(sent, loss.at) + GRACE_PERIOD * certainPart;
  }

  /** @param ago Milliseconds since other processes could last see that this process is alive. */
  lose(ago = 0): void {
    if (this.#loss !== undefined || this.#isClosed) return;
    const { clock, leaseDuration, renew } = this.#options;
    const now = clock.now();
    // Losses that ended more than a lease ago are forgotten, since all leases from before their end have expired by
    // now.
    this.#losses = this.#losses.filter(({ until }) => until + leaseDuration > now);
    this.#losses.push({ at: now - ago, until: Infinity });
    this.#timer = setInterval(renew, GRACE_PERIOD / 3).unref();
    renew();
  }

  /**
   * Called if the server said `ago` milliseconds ago that it serves no clients. Up to that time, no process can have
   * considered this one dead.
   */
  serverWasDown(ago: number): void {
    const { clock, renew } = this.#options;
    const loss = this.#loss;
    if (loss !== undefined) loss.at = Math.max(loss.at, clock.now() - ago);
    renew();
  }

  /** Called when a connection is open. No operation is executed before the first connection. */
  regain(): void {
    clearInterval(this.#timer);
    const loss = this.#loss;
    if (loss !== undefined) loss.until = this.#options.clock.now();
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#timer);
  }

  /** The present loss, if it has not ended. */
  get #loss(): Loss | undefined {
    const latest = this.#losses.at(-1);
    return latest?.until === Infinity ? latest : undefined;
  }
}
