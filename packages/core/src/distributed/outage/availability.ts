import { type Clock, startTimer } from '../../clock.ts';
import type { StoreError } from '../../semaphore/rejection.ts';
import type { LeaseStore, LimitName } from '../contract.ts';
import type { DistributedSettings } from '../settings.ts';
import type { StoreWarnings } from './store-warnings.ts';

/**
 * A circuit breaker: whether the store is available to one limit. A failing call opens it, so that at most the calls of
 * one timeout wait in vain. Only a probe closes it, one at a time: if only some calls fail, the successful ones would
 * close it again and again, and each time all waiters would return to the store.
 */
class CircuitBreaker {
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

/** Whether the store is available to one limit. Reports changes to the observer or, without one, by warnings. */
export class Availability {
  readonly #breaker: CircuitBreaker;
  /** The limit or key whose call has failed last. */
  #probed: LimitName;
  /** Whether the store has refused the latest call. */
  #isRefused = false;

  constructor(
    private readonly settings: DistributedSettings,
    private readonly warnings: StoreWarnings,
    store: LeaseStore,
    changed: (error: StoreError | undefined) => void,
  ) {
    this.#probed = { name: settings.name };
    this.#breaker = new CircuitBreaker(
      store.clock,
      store.timeout,
      async () => store.stats(this.#probed),
      () => {
        this.#report(this.error === undefined, this.error);
        changed(this.error);
      },
    );
  }

  /** Why the store is unavailable; undefined if it is available. */
  get error(): StoreError | undefined {
    return this.#breaker.error;
  }

  /** A call for this key has failed. */
  failed(key: string | undefined, error: StoreError): void {
    this.#probed = { name: this.settings.name, key };
    this.#breaker.failed(error);
    if (this.error === undefined) this.#report(true, error);
  }

  /** The store has answered a call without refusing it. */
  worked(): void {
    if (!this.#isRefused) return;
    this.#isRefused = false;
    this.warnings.worked(this.settings.name);
  }

  /** Warns once a caller is affected by an outage or a refusal, so that a failure at process exit causes no warning. */
  affected(error: StoreError | undefined): void {
    const { name, observer, onStoreError } = this.settings;
    if (error === undefined || observer.store !== undefined) return;
    if (this.error === undefined) this.#isRefused = true;
    this.warnings.failed(name, onStoreError, error);
  }

  /** The store may have become unavailable or available again. */
  doubt(): void {
    void this.#breaker.doubt();
  }

  /** The store's messages do not arrive, for this reason; undefined if they arrive again. */
  muted(error: StoreError | undefined): void {
    if (this.error === undefined) this.#report(true, error, true);
  }

  /** The limiter is closed. */
  end(): void {
    this.#breaker.end();
    this.warnings.forget(this.settings.name);
  }

  #report(up: boolean, error: StoreError | undefined, isMuted = false): void {
    const { name, observer } = this.settings;
    observer.store?.({ name, up, error });
    if (error === undefined) this.warnings.returned(name);
    else if (isMuted && observer.store === undefined) this.warnings.muted(name, error);
  }
}
