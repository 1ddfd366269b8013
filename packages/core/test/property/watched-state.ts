import type { VirtualClock } from '@headgate/test-suite';
import type { LocalLimiter } from '../../src/index.ts';

const states = [
  ['pause', 'paused'],
  ['rejectAll', 'rejecting'],
  ['resume', 'open'],
] as const;

/** The state in which the operations on a limiter should leave it. Wraps these operations. */
export class WatchedState {
  isShadow = false;
  #closed = false;
  #state: 'open' | 'paused' | 'rejecting' = 'open';
  /** When the pause of a limiter without keys ends. */
  #pausedUntil = 0;

  constructor(
    limiter: LocalLimiter,
    private readonly clock: VirtualClock,
  ) {
    const { pauseFor } = limiter;
    limiter.pauseFor = (pause) => {
      const until = pause === 0 ? 0 : Math.max(this.#pausedUntil, clock.now() + Number(pause));
      if (!limiter.closed) this.#pausedUntil = until;
      pauseFor.call(limiter, pause);
    };
    for (const name of ['shadow', 'enforce'] as const) {
      const change = limiter[name];
      limiter[name] = () => {
        this.isShadow = name === 'shadow';
        this.#endPause();
        change.call(limiter);
      };
    }
    for (const [name, state] of states) {
      const change = limiter[name];
      limiter[name] = () => {
        this.#state = state;
        this.#endPause();
        change.call(limiter);
      };
    }
    const { close } = limiter;
    limiter.close = (options) => {
      this.#closed = true;
      return close.call(limiter, options);
    };
  }

  get name(): string {
    return this.#closed ? 'closed' : this.#state;
  }

  get grants(): boolean {
    return !this.isShut && this.#state === 'open' && (this.isShadow || this.pauseLeft <= 0);
  }

  get pauseLeft(): number {
    return this.#pausedUntil - this.clock.now();
  }

  /** A pause whose timer is late ends with that timer. */
  #endPause(): void {
    if (this.pauseLeft > 0) this.#pausedUntil = 0;
  }

  /** Whether the timer of the pause is late. */
  get isLate(): boolean {
    return this.#pausedUntil > 0 && this.pauseLeft <= 0 && this.clock.due <= this.clock.now();
  }

  /** Whether it rejects every request. Open in shadow mode, it does not, even once it is closed. */
  get isShut(): boolean {
    const isOpen = this.isShadow && this.#state === 'open';
    return this.#state === 'rejecting' || (this.#closed && !isOpen);
  }
}
