import type { Backoff } from './backoff.ts';
import type { RetryBudget } from './retry-budget.ts';
import type { Simulation } from './simulation.ts';

/** What a server says to a request. */
export interface Answer {
  readonly succeeded: boolean;
  /** Seconds after which to come back. */
  readonly retryAfter?: number;
}

/** Sends a request, which is answered at most once; returns how its sender goes away. */
export type Send = (answer: (answer: Answer) => void) => () => void;

/** How a client treats its calls. */
export interface Habits {
  /** Milliseconds that each attempt may take. Default: Infinity. */
  readonly timeout?: number;
  /** How often a call is tried again that failed, was turned away or took too long. Default: 0. */
  readonly retries?: number;
  /** How long it waits before; a longer `Retry-After` prevails. Default: not at all. */
  readonly backoff?: Backoff;
  /** What part of the calls may be tried again. Default: all. */
  readonly budget?: RetryBudget;
}

/** Somebody who wants an answer, waits so long and tries so often. */
export class Client {
  constructor(
    readonly simulation: Simulation,
    readonly send: Send,
    readonly habits: Habits,
  ) {}

  /** @param done Hears once how it ended; a call that is never answered and has no timeout does not end. */
  call(done: (succeeded: boolean) => void = () => {}): void {
    this.habits.budget?.called();
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
    const { simulation, send, habits } = this.client;
    const { timeout = Infinity } = habits;
    let timer: unknown;
    let isOver = false;
    const leave = send((answer) => {
      if (isOver) return;
      isOver = true;
      simulation.clearTimeout(timer);
      if (answer.succeeded) this.done(true);
      else this.#failed(answer.retryAfter);
    });
    if (isOver || timeout === Infinity) return;
    timer = simulation.setTimeout(() => {
      isOver = true;
      leave();
      this.#failed();
    }, timeout);
  }

  #failed(retryAfter = 0): void {
    const { simulation, habits } = this.client;
    const { retries = 0, backoff = () => 0, budget } = habits;
    if (this.#retries >= retries || budget?.retries() === false) return this.done(false);
    this.#retries++;
    const delay = Math.max(backoff(this.#retries, simulation.random), retryAfter * 1000);
    simulation.setTimeout(() => this.attempt(), delay);
  }
}
