import { type Clock, startTimer } from '../clock.ts';
import type { StoreError } from '../semaphore/rejection.ts';

/**
 * A circuit breaker: whether the store is available to one limit. A failing call opens it, so that at most the calls of
 * one timeout wait in vain. Only a probe closes it, one at a time: if only some calls fail, the successful ones would
 * close it again and again, and each time all waiters would return to the store.
 */
export class CircuitBreaker {
  /** Why the store is unavailable; undefined if it is available. */
  error: StoreError | undefined = undefined;
  #cancel = () => {};
  #isProbing = false;
  #hasEnded = false;

  constructor(
    private readonly clock: Clock,
    /** Milliseconds between two probes. */
    private readonly interval: number,
    /** A read-only call to the store; rejects with a StoreError. */
    private readonly probe: () => Promise<unknown>,
    private readonly changed: () => void,
  ) {}

  failed(error: StoreError): void {
    // A server that answers with an error is available.
    if (isAnswer(error) || this.error !== undefined || this.#hasEnded) return;
    this.error = error;
    this.#probeLater();
    this.changed();
  }

  /** The state may have changed: probes the store. */
  async doubt(): Promise<void> {
    if (this.#isProbing || this.#hasEnded) return;
    this.#isProbing = true;
    const error = await this.probe().then(nothing, (failure: StoreError) => failure);
    this.#isProbing = false;
    if (error === undefined || isAnswer(error)) this.#worked();
    else if (this.error === undefined) this.failed(error);
    else this.#probeLater();
  }

  end(): void {
    this.#hasEnded = true;
    this.#cancel();
  }

  #worked(): void {
    this.#cancel();
    if (this.error === undefined || this.#hasEnded) return;
    this.error = undefined;
    this.changed();
  }

  #probeLater(): void {
    this.#cancel();
    if (this.#hasEnded) return;
    this.#cancel = startTimer(this.clock, this.interval, () => void this.doubt(), true);
  }
}

function isAnswer({ code }: StoreError): boolean {
  return code === 'ERR_HEADGATE_STORE_REFUSED';
}

function nothing(): undefined {
  return undefined;
}
