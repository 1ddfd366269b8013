import { systemClock } from '@headgate/core';
import { startTimer } from '@headgate/core/engine';
import { within } from './limit-time.ts';

export interface SubscriptionProbeOptions {
  /** Milliseconds between two probes, and the maximum time for a message to arrive. */
  readonly timeout: number;
  /** Publishes a message to this process, on another connection; resolves when the server has accepted it. */
  publish(): Promise<unknown>;
  /** Returns whether any waiter of this process depends on messages. */
  isNeeded(): boolean;
  /** Called when a published message has not arrived: the subscription is dead. */
  failed(): void;
}

/**
 * Detects a subscription whose connection has died silently: a NAT or a load balancer has dropped it without notifying
 * either end, and the subscriber never writes. While waiters depend on messages, a message published to this process
 * must arrive in time. Any message proves the subscription, so a busy one is not probed.
 */
export class SubscriptionProbe {
  readonly #options: SubscriptionProbeOptions;
  /** Cancels the next probe; undefined if none is scheduled. */
  #cancel: (() => void) | undefined;
  /** Whether a message has arrived since the timer was set. */
  #hasHeard = false;
  #arrived = () => {};
  #isUp = false;
  /** Whether a probe is running. */
  #isProbing = false;

  constructor(options: SubscriptionProbeOptions) {
    this.#options = options;
  }

  /** Called when a waiter is queued. */
  wanted(): void {
    if (!this.#isUp || this.#cancel !== undefined || this.#isProbing) return;
    this.#hasHeard = false;
    const { timeout } = this.#options;
    this.#cancel = startTimer(systemClock, timeout, () => void this.#probe(), true);
  }

  /** Called when any message arrives. */
  heard(): void {
    this.#hasHeard = true;
    this.#arrived();
  }

  /** Called when a new subscription is open. */
  up(): void {
    this.#isUp = true;
    if (this.#options.isNeeded()) this.wanted();
  }

  /** Called when the subscription is known to be lost, or closed. */
  down(): void {
    this.#isUp = false;
    this.#cancel?.();
    this.#cancel = undefined;
    this.#arrived();
  }

  async #probe(): Promise<void> {
    this.#cancel = undefined;
    this.#isProbing = true;
    const isDead = !this.#hasHeard && (await this.#isDead());
    this.#isProbing = false;
    if (isDead && this.#isUp) return this.#options.failed();
    if (this.#options.isNeeded()) this.wanted();
  }

  async #isDead(): Promise<boolean> {
    const { timeout, publish } = this.#options;
    const arrival = new Promise<true>((resolve) => {
      this.#arrived = () => resolve(true);
    });
    // If the message was not published, the subscription may still work; the circuit breaker detects an outage.
    const isPublished = await within(timeout, () => publish().then(yes, no));
    if (isPublished !== true) return false;
    return (await within(timeout, () => arrival)) === undefined;
  }
}

const yes = () => true;
const no = () => false;
