import type { LocalLimiter } from '../../src/index.ts';

const states = [
  ['pause', 'paused'],
  ['drain', 'drained'],
  ['resume', 'open'],
] as const;

/** The state in which the operations on a limiter should leave it. Wraps these operations. */
export class WatchedState {
  isShadow = false;
  #closed = false;
  #state: 'open' | 'paused' | 'drained' = 'open';

  constructor(limiter: LocalLimiter) {
    for (const name of ['shadow', 'enforce'] as const) {
      const change = limiter[name];
      limiter[name] = () => {
        this.isShadow = name === 'shadow';
        change.call(limiter);
      };
    }
    for (const [name, state] of states) {
      const change = limiter[name];
      limiter[name] = () => {
        this.#state = state;
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
    return !this.isShut && this.#state === 'open';
  }

  /** Whether it rejects every request. Open in shadow mode, it does not, even once it is closed. */
  get isShut(): boolean {
    const isOpen = this.isShadow && this.#state === 'open';
    return this.#state === 'drained' || (this.#closed && !isOpen);
  }
}
