import type { Clock } from '@headgate/core';
import { certainPart } from '@headgate/core/shared';
import { grace } from './ring.sql.ts';

/**
 * Whether the others know that this process lives. From the loss of the connection that shows it until there is another
 * one, they may take it for dead at any moment: what it holds then ends a second later, unless it is renewed.
 */
export class Recognition {
  readonly #clock: Clock;
  readonly #renew: () => void;
  #lostAt = -Infinity;
  #since = -Infinity;
  #timer: NodeJS.Timeout | undefined;

  /** @param renew Is called when it is lost, and then three times in `grace` until it is regained. */
  constructor(clock: Clock, renew: () => void) {
    this.#clock = clock;
    this.#renew = renew;
  }

  /** Until when a lease is certain that was asked for at this time, whatever its length. */
  certainUntil(sent: number): number {
    if (sent >= this.#since) return Infinity;
    return Math.max(sent, this.#lostAt) + grace * certainPart;
  }

  lose(): void {
    if (this.#since === Infinity) return;
    this.#lostAt = this.#clock.now();
    this.#since = Infinity;
    this.#timer = setInterval(this.#renew, grace / 3).unref();
    this.#renew();
  }

  /** The server has said so long ago that it serves nobody: until then nobody can have taken this process for dead. */
  excuse(ago: number): void {
    this.#lostAt = Math.max(this.#lostAt, this.#clock.now() - ago);
    this.#renew();
  }

  /** Or have it for the first time: what was asked for before that is done from then on. */
  regain(): void {
    clearInterval(this.#timer);
    if (this.#since === Infinity) this.#since = this.#clock.now();
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
