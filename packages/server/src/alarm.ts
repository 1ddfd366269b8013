import type { Clock } from '@headgate/core';
import { maxTimer } from '@headgate/store-kit';

/**
 * Calls back at the earliest of many instants. It may call back too early: the callback then checks what is due and
 * sets it again.
 */
export class Alarm {
  readonly #clock: Clock;
  readonly #ring: () => void;
  #timer: unknown;
  #setFor = Infinity;

  constructor(clock: Clock, ring: () => void) {
    this.#clock = clock;
    this.#ring = ring;
  }

  /** Does nothing if the alarm is already set for an earlier instant. */
  set(instant: number): void {
    if (instant >= this.#setFor) return;
    this.stop();
    this.#setFor = instant;
    const delay = Math.ceil(instant - this.#clock.now());
    const timer = this.#clock.setTimeout(
      () => {
        this.#setFor = Infinity;
        this.#ring();
      },
      Math.min(Math.max(delay, 0), maxTimer),
    );
    this.#timer = timer;
    // The timer must not keep the process alive: the listening server does that.
    (timer as { unref?: () => void }).unref?.();
  }

  stop(): void {
    if (this.#setFor !== Infinity) this.#clock.clearTimeout(this.#timer);
    this.#setFor = Infinity;
  }
}
