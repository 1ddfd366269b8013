import type { Clock } from '@headgate/core';
import { certainPart } from '@headgate/core/shared';
import { grace } from './ring.sql.ts';

export interface RecognitionOptions {
  readonly clock: Clock;
  /** Milliseconds. */
  readonly lease: number;
  /** Is called when it is lost, and then three times in `grace` until it is regained. */
  readonly renew: () => void;
}

/** Nobody knew that this process lives, from one instant to another. */
interface Loss {
  at: number;
  until: number;
}

/**
 * Whether the others know that this process lives. From the loss of the connection that shows it until there is another
 * one, they may take it for dead at any moment: what it holds then ends a second later, unless it is renewed.
 */
export class Recognition {
  readonly #options: RecognitionOptions;
  /** The latest is the last. */
  #losses: Loss[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(options: RecognitionOptions) {
    this.#options = options;
  }

  /** Until when a lease is certain that was asked for at this time, whatever its length. */
  certainUntil(sent: number): number {
    const loss = this.#losses.find(({ until }) => sent < until);
    return loss === undefined ? Infinity : Math.max(sent, loss.at) + grace * certainPart;
  }

  /** @param ago Milliseconds since the last moment at which it was certain. */
  lose(ago = 0): void {
    if (this.#loss !== undefined) return;
    const { clock, lease, renew } = this.#options;
    const now = clock.now();
    // What was asked for before the others has ended by itself.
    this.#losses = this.#losses.filter(({ until }) => until + lease > now);
    this.#losses.push({ at: now - ago, until: Infinity });
    this.#timer = setInterval(renew, grace / 3).unref();
    renew();
  }

  /** The server has said so long ago that it serves nobody: until then nobody can have taken this process for dead. */
  excuse(ago: number): void {
    const { clock, renew } = this.#options;
    const loss = this.#loss;
    if (loss !== undefined) loss.at = Math.max(loss.at, clock.now() - ago);
    renew();
  }

  /** Or have it for the first time: before that, nothing that it asks for is done. */
  regain(): void {
    clearInterval(this.#timer);
    const loss = this.#loss;
    if (loss !== undefined) loss.until = this.#options.clock.now();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** The one that goes on. */
  get #loss(): Loss | undefined {
    const latest = this.#losses.at(-1);
    return latest?.until === Infinity ? latest : undefined;
  }
}
