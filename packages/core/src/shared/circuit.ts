import { type Clock, startTimer } from '../clock.ts';
import type { StoreError } from '../limiter/store-error.ts';

/**
 * Whether the store is there, as far as one limit is concerned. Opened by a call that fails, so that no more than the
 * calls of one timeout wait in vain. Closed by a probe alone, of which there is one at a time: where only some calls
 * fail, those that do not would close it again and again, and each time all who wait would go back to the store.
 */
export class Circuit {
  /** Why the store is away; undefined where it is not. */
  error: StoreError | undefined = undefined;
  #cancel = () => {};
  #isProbing = false;
  #hasEnded = false;

  constructor(
    private readonly clock: Clock,
    /** Milliseconds from one probe to the next. */
    private readonly pause: number,
    /** Asks the store something harmless; rejects with a StoreError. */
    private readonly probe: () => Promise<unknown>,
    private readonly changed: () => void,
  ) {}

  failed(error: StoreError): void {
    // A server that answers, be it with an error, is there.
    if (isAnswer(error) || this.error !== undefined || this.#hasEnded) return;
    this.error = error;
    this.#probeLater();
    this.changed();
  }

  /** Something tells that it may have changed. */
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
    this.#cancel = startTimer(this.clock, this.pause, () => void this.doubt(), true);
  }
}

function isAnswer({ code }: StoreError): boolean {
  return code === 'ERR_HEADGATE_STORE_REFUSED';
}

function nothing(): undefined {
  return undefined;
}
