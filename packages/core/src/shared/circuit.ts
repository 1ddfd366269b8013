import { type Clock, startTimer } from '../clock.ts';
import type { StoreError } from '../limiter/store-error.ts';

/**
 * Whether the store is there, as far as one limit is concerned. Opened by a call that fails, so that no more than the calls of
 * one timeout wait in vain; closed by one that does not.
 */
export class Circuit {
  /** Why the store is away; undefined where it is not. */
  error: StoreError | undefined = undefined;
  #cancel: (() => void) | undefined;

  constructor(
    private readonly clock: Clock,
    /** Milliseconds from one try to the next. */
    private readonly pause: number,
    /** Asks the store something harmless; rejects with a StoreError. */
    private readonly probe: () => Promise<unknown>,
    private readonly changed: () => void,
  ) {}

  failed(error: StoreError): void {
    // A server that answers, be it with an error, is there.
    if (error.code === 'ERR_HEADGATE_STORE_REFUSED' || this.error !== undefined) return;
    this.error = error;
    this.#later();
    this.changed();
  }

  worked(): void {
    if (this.error === undefined) return;
    this.error = undefined;
    this.end();
    this.changed();
  }

  /** Something tells that it may have changed. */
  async doubt(): Promise<void> {
    try {
      await this.probe();
      this.worked();
    } catch (error) {
      const failure = error as StoreError;
      if (failure.code === 'ERR_HEADGATE_STORE_REFUSED') this.worked();
      else if (this.error === undefined) this.failed(failure);
      else if (this.#cancel === undefined) this.#later();
    }
  }

  end(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #later(): void {
    this.#cancel = startTimer(
      this.clock,
      this.pause,
      () => {
        this.#cancel = undefined;
        void this.doubt();
      },
      true,
    );
  }
}
