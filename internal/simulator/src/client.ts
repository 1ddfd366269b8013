import type { Backoff } from './backoff.ts';
import type { RetryBudget } from './retry-budget.ts';

/** What clients need of a simulation. */
export interface ClientClock {
  setTimeout(callback: () => void, delay: number): unknown;
  clearTimeout(timer: unknown): void;
  random(): number;
}

/** A server's answer to a request. */
export interface Answer {
  readonly succeeded: boolean;
  /** Seconds after which to retry. */
  readonly retryAfter?: number;
}

/** Sends a request, which is answered at most once. Returns a function that disconnects its client. */
export type Send = (answer: (answer: Answer) => void) => () => void;

/** Timeouts and retries of a client. */
export interface ClientOptions {
  /** The timeout of each attempt in milliseconds. Default: Infinity. */
  readonly timeout?: number;
  /** Maximum number of retries of a call that failed, was rejected or timed out. Default: 0. */
  readonly retries?: number;
  /** The delay before a retry, unless `Retry-After` is longer. Default: no delay. */
  readonly backoff?: Backoff;
  /** Limits the retries to a fraction of the calls. Default: unlimited. */
  readonly budget?: RetryBudget;
}

/** A client with timeouts and retries. */
export class Client {
  constructor(
    readonly simulation: ClientClock,
    readonly send: Send,
    readonly options: ClientOptions,
  ) {}

  /**
   * Calls the server.
   *
   * @param done Called once with the result, or never if the call has no timeout and is not answered.
   */
  call(done: (succeeded: boolean) => void = () => {}): void {
    this.options.budget?.called();
    new Call(this, done).attempt();
  }
}

class Call {
  #retries = 0;

  constructor(
    private readonly client: Client,
    private readonly done: (succeeded: boolean) => void,
  ) {}

  attempt(): void {
    const { simulation, send, options } = this.client;
    const { timeout = Infinity } = options;
    let timer: unknown;
    let isOver = false;
    const disconnect = send((answer) => {
      if (isOver) return;
      isOver = true;
      simulation.clearTimeout(timer);
      if (answer.succeeded) this.done(true);
      else this.#failed(answer.retryAfter);
    });
    if (isOver || timeout === Infinity) return;
    timer = simulation.setTimeout(() => {
      isOver = true;
      disconnect();
      this.#failed();
    }, timeout);
  }

  #failed(retryAfter = 0): void {
    const { simulation, options } = this.client;
    const { retries = 0, backoff = () => 0, budget } = options;
    if (this.#retries >= retries || budget?.retries() === false) return this.done(false);
    this.#retries++;
    const delay = Math.max(backoff(this.#retries, simulation.random), retryAfter * 1000);
    simulation.setTimeout(() => this.attempt(), delay);
  }
}
