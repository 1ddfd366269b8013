import type { Limiter, Permit } from '@headgate/core';

/** A caller of `acquire`, and its result. */
export class Caller {
  readonly #abort = new AbortController();
  permit: Permit | undefined;
  #since = 0;
  isSettled = false;
  error: unknown;

  constructor(
    readonly number: number,
    private readonly limiter: Limiter,
    /** How long it holds its permit at the end of a run, in milliseconds. */
    private readonly work: number,
  ) {}

  get isRunning(): boolean {
    return this.permit !== undefined && !this.permit.signal.aborted;
  }

  hasWorked(): boolean {
    return this.permit !== undefined && performance.now() >= this.#since + this.work;
  }

  acquire(): void {
    const settle = () => {
      this.isSettled = true;
    };
    this.limiter
      .acquire({ signal: this.#abort.signal })
      .then((permit) => {
        this.permit = permit;
        this.#since = performance.now();
      })
      .catch((error) => {
        this.error = error;
      })
      .finally(settle);
  }

  abort(): void {
    this.#abort.abort(new Error('no longer wanted'));
  }

  release(): void {
    this.permit?.release();
    this.permit = undefined;
  }
}
