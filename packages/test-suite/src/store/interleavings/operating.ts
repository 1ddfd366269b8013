import type { Limiter } from '@headgate/core';
import type { Caller } from './caller.ts';

const operations = [
  'pause',
  'rejectAll',
  'resume',
  'resume',
  'shadow',
  'enforce',
  'enforce',
] as const;

/** Operates the limiters of a scene, and checks that they grant only what they may. */
export class Operating {
  /** The state that all processes and the server know; undefined while that is not certain. */
  #agreed: { readonly isClosed: boolean; readonly enforces: boolean } | undefined = {
    isClosed: false,
    enforces: true,
  };
  #running = new Set<Caller>();

  constructor(private readonly limiters: readonly Limiter[]) {}

  /** The operations that are possible now; none if the store does not support them. */
  events(): { readonly name: string; run(): void }[] {
    return [...this.#operations(), ...this.#pauses()];
  }

  /** A pause is longer than a scene. */
  #pauses() {
    return this.limiters.flatMap((limiter, process) =>
      [0, 100_000].map((pause) => ({
        name: `process ${process}: pauseFor(${pause})`,
        run: () => limiter.pauseFor(pause),
      })),
    );
  }

  #operations() {
    return this.limiters.flatMap((limiter, process) =>
      operations
        .filter((operation) => limiter.operations.includes(operation))
        .map((operation) => ({
          name: `process ${process}: ${operation}`,
          run: () => {
            this.#agreed = undefined;
            limiter[operation]();
          },
        })),
    );
  }

  /** Returns what is wrong with the callers that run now. `isIdle`: no message is on its way. */
  check(running: readonly Caller[], limit: number, isIdle: boolean): string | undefined {
    const granted = running.filter((caller) => !this.#running.has(caller));
    this.#running = new Set(running);
    const numbers = granted.map(({ number }) => number).join(' and ');
    if (granted.length > 0 && this.#agreed?.isClosed) {
      return `callers ${numbers} were granted permits of a paused or rejecting limit`;
    }
    if (granted.length > 0 && this.#agreed?.enforces && running.length > limit) {
      return `callers ${numbers} were granted permits beyond the limit`;
    }
    if (isIdle) {
      this.#agreed = {
        isClosed: this.limiters.every(({ state }) => state !== 'open'),
        enforces: this.limiters.every(({ mode }) => mode === 'enforce'),
      };
    }
    return undefined;
  }

  /** Makes one process return to normal operation. */
  reset(): void {
    const [limiter] = this.limiters;
    this.#agreed = undefined;
    limiter?.resume();
    limiter?.enforce();
  }

  /** Describes how the processes differ in what they know after that. */
  disagreement(): string | undefined {
    const known = this.limiters.map((limiter) => {
      const { pausedFor } = limiter.stats();
      return `${limiter.state} ${limiter.mode}${pausedFor === undefined ? '' : ' paused'}`;
    });
    return known.every((state) => state === 'open enforce') ? undefined : known.join(', ');
  }
}
