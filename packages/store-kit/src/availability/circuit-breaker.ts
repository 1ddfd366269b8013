import type { StoreError } from '@headgate/core';
import { startTimer } from '@headgate/core/engine';
import type { LeaseStore, LimitName } from '../contract.ts';
import type { DistributedSettings } from '../settings.ts';
import type { StoreWarnings } from './store-warnings.ts';

/** A probe is repeated after this many timeouts without an outcome: Cloudflare Workers may end it with its request. */
const MAX_PROBE_TIMEOUTS = 3;

/**
 * A circuit breaker for one limit. A failing call opens it, so that later calls do not wait for their own timeouts.
 * Only a probe closes it, and probes run one at a time: if only some calls failed, each success would close it and send
 * all waiters back to the store. Reports changes to the observer or, without one, by warnings.
 */
export class CircuitBreaker {
  /** Why the store is unavailable; undefined if it is available. */
  error: StoreError | undefined = undefined;
  /** The limit, or the key of it, whose call failed last. Probes ask for it again. */
  #probed: LimitName;
  #cancel = () => {};
  /** When to stop waiting for the outcome of a probe. */
  #probingUntil = -Infinity;
  /** When the first of the present series of failing probes was sent; undefined during an outage. */
  #failingSince: number | undefined;
  #hasEnded = false;
  /** Why the store's messages do not arrive; undefined if they do. */
  #missing: StoreError | undefined = undefined;
  /** Whether the store has refused the latest call. */
  #isRefused = false;

  constructor(
    private readonly settings: DistributedSettings,
    private readonly store: LeaseStore,
    private readonly warnings: StoreWarnings,
    private readonly changed: (error: StoreError | undefined) => void,
  ) {
    this.#probed = { name: settings.name };
  }

  /** A call for this key has failed. */
  failed(key: string | undefined, error: StoreError): void {
    this.#probed = { name: this.settings.name, key };
    this.#open(error);
    // A closed limiter does not learn whether the store is available, so it reports nothing.
    if (this.error === undefined && !this.#hasEnded) this.#report(true, error);
  }

  /** The store has answered a call without refusing it. */
  succeeded(): void {
    if (!this.#isRefused) return;
    this.#isRefused = false;
    this.warnings.succeeded(this.settings.name);
  }

  /** Warns once a caller is affected by an outage or a refusal, so that a failure at process exit causes no warning. */
  warnCaller(error: StoreError | undefined): void {
    const { name, observers, onStoreError } = this.settings;
    if (error === undefined || observers.store !== undefined) return;
    if (this.error === undefined) this.#isRefused = true;
    this.warnings.failed(name, onStoreError, error);
  }

  /** Called with the reason when the store's messages do not arrive; with undefined when they arrive again. */
  messagesMissing(error: StoreError | undefined): void {
    this.#missing = error;
    // During an outage nothing is reported: it matters only if they are still missing afterwards.
    if (this.error === undefined) this.#reportMessages();
  }

  /** The state may have changed: probes the store. */
  async probe(): Promise<void> {
    const { clock, timeout } = this.store;
    if (clock.now() < this.#probingUntil || this.#hasEnded) return;
    const sent = clock.now();
    this.#probingUntil = sent + MAX_PROBE_TIMEOUTS * timeout;
    this.#probeLater(MAX_PROBE_TIMEOUTS * timeout);
    const error = await this.#callStore();
    this.#cancel();
    this.#probingUntil = -Infinity;
    if (error === undefined || isAnswer(error)) return this.#close();
    if (this.error !== undefined) return this.#probeLater(timeout);
    this.#failingSince ??= sent;
    const left = this.#failingSince + timeout - clock.now();
    // A server that cannot be reached may be restarting.
    if (isUnreachable(error) && left > 0) this.#probeLater(left);
    else this.#open(error);
  }

  /** Called when the limiter is closed. */
  end(): void {
    this.#hasEnded = true;
    this.#cancel();
    this.warnings.forget(this.settings.name);
  }

  async #callStore(): Promise<StoreError | undefined> {
    try {
      await this.store.stats(this.#probed);
      return undefined;
    } catch (error) {
      return error as StoreError;
    }
  }

  #probeLater(delay: number): void {
    const { clock } = this.store;
    const probe = () => {
      // The timer may fire a moment early.
      this.#probingUntil = -Infinity;
      void this.probe();
    };
    this.#cancel();
    if (!this.#hasEnded) this.#cancel = startTimer(clock, delay, probe, true);
  }

  #open(error: StoreError): void {
    if (isAnswer(error) || this.error !== undefined || this.#hasEnded) return;
    this.error = error;
    this.#failingSince = undefined;
    this.#probeLater(this.store.timeout);
    this.#report(false, error);
    this.changed(error);
  }

  #close(): void {
    this.#cancel();
    this.#failingSince = undefined;
    if (this.error === undefined || this.#hasEnded) return;
    this.error = undefined;
    this.#report(true, undefined);
    if (this.#missing !== undefined) this.#reportMessages();
    this.changed(undefined);
  }

  #reportMessages(): void {
    const { name, observers } = this.settings;
    const error = this.#missing;
    this.#report(true, error);
    if (error !== undefined && observers.store === undefined)
      this.warnings.messagesMissing(name, error);
  }

  #report(up: boolean, error: StoreError | undefined): void {
    const { name, observers } = this.settings;
    observers.store?.({ name, up, error });
    if (error === undefined) this.warnings.returned(name);
  }
}

/** Whether there is no connection. Otherwise, the server has not answered for the timeout of a call. */
function isUnreachable({ code }: StoreError): boolean {
  return code === 'ERR_HEADGATE_STORE_DOWN';
}

/** A server that answers with an error is available. */
function isAnswer({ code }: StoreError): boolean {
  return code === 'ERR_HEADGATE_STORE_REFUSED';
}
