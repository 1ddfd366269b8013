import { type Clock, startTimer } from '../clock.ts';
import { HeadgateError } from '../errors.ts';
import type { BasePermit } from '../semaphore/permit.ts';

/** When a client stops waiting for the beginning of its response, if it has said so. */
export class ClientDeadline {
  readonly #at: number;
  /** Whether the response had begun at the deadline. The client then reads it for as long as it takes. */
  #isMet = false;
  #cancel = () => {};

  constructor(
    private readonly clock: Clock,
    /** In milliseconds from now. */
    timeLeft: number,
  ) {
    this.#at = clock.now() + timeLeft;
  }

  /** Whole milliseconds, as headers need them, for which the client still waits; 0 once the deadline has passed. */
  get timeLeft(): number {
    return Math.max(0, Math.ceil(this.#at - this.clock.now()));
  }

  /** Whether the deadline has passed without a response. */
  get isMissed(): boolean {
    return !this.#isMet && this.timeLeft === 0;
  }

  /** Aborts the permit's signal at the deadline, unless the response has begun or the permit has been released. */
  watch(permit: BasePermit, response: { readonly headersSent: boolean }): void {
    const passed = () => {
      this.#isMet = response.headersSent;
      if (!this.#isMet && !permit.released) permit.abort(missed());
    };
    this.#cancel = startTimer(this.clock, this.timeLeft, passed, true);
  }

  /** Called when the response has ended. */
  stop(): void {
    this.#cancel();
  }
}

function missed(): HeadgateError {
  return new HeadgateError('ERR_HEADGATE_DEADLINE', 'the client no longer waits for the response');
}
