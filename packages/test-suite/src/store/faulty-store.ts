import {
  type Answer,
  type Capabilities,
  type LimitName,
  type Op,
  Store,
  StoreError,
  type StoreListener,
  type StoreStats,
} from '@headgate/store-kit';

/**
 * The fault of a call.
 *
 * - `fail`: it is not executed, and fails immediately.
 * - `drop`: it is not executed, and times out.
 * - `lose`: it is executed, but times out.
 * - `repeat`: it is executed twice, and the second result counts.
 * - `delay`: it is executed after this many milliseconds, and later calls do not overtake it. If the delay exceeds its
 *   timeout, it times out but is still executed.
 */
export type CallFault = 'fail' | 'drop' | 'lose' | 'repeat' | { readonly delay: number };

/** The fault of a pushed message. Later messages may overtake a delayed one. */
export type MessageFault = 'drop' | 'repeat' | { readonly delay: number };

type Message = 'grant' | 'recall' | 'operated' | 'check';

/** Chooses the fault of each call and message. Undefined means no fault. */
export interface Faults {
  /** `ops` is empty for `stats`. */
  call?(ops: readonly Op[]): CallFault | undefined;
  /** Called for each pushed message. */
  message?(message: Message): MessageFault | undefined;
}

/**
 * A store between another store and its limiters, which injects faults on command. It uses the time of the other
 * store's clock.
 */
export class FaultyStore extends Store {
  readonly can: Capabilities;
  /** May be replaced at any time. The new faults apply to later calls and messages. */
  faults: Faults = {};
  /** Number of calls ever sent, including failed ones. */
  calls = 0;
  #listener: StoreListener | undefined;
  /** The time at which the last delayed call will have been executed. */
  #busyUntil = -Infinity;

  constructor(private readonly store: Store) {
    super(store);
    this.can = store.can;
  }

  override get owner(): string {
    return this.store.owner;
  }

  /** Reports to its limiters that the connection is lost or restored. */
  say(up: boolean, error?: StoreError): void {
    this.#listener?.state(up, error);
  }

  /** Reports to its limiters that they may have missed messages. */
  check(): void {
    this.#listener?.check();
  }

  async send(ops: readonly Op[], timeout: number): Promise<Answer[]> {
    try {
      return await this.#call(ops, timeout, () => this.store.send(ops, timeout));
    } catch (error) {
      return ops.map(() => ({ error: error as StoreError }));
    }
  }

  stats(ref: LimitName): Promise<StoreStats> {
    return this.#call([], this.timeout, () => this.store.stats(ref));
  }

  override certainUntil(sent: number): number {
    return this.store.certainUntil(sent);
  }

  listen(listener: StoreListener): () => void {
    this.#listener = listener;
    const unlisten = this.store.listen({
      grant: (grant) => this.#push('grant', (listening) => listening.grant(grant)),
      recall: (ref) => this.#push('recall', (listening) => listening.recall(ref)),
      operated: (ref) => this.#push('operated', (listening) => listening.operated?.(ref)),
      check: () => this.#push('check', (listening) => listening.check()),
      state: (up, error) => this.#listener?.state(up, error),
      muted: (error) => this.#listener?.muted?.(error),
      slowed: (reason) => this.#listener?.slowed?.(reason),
      get isWaiting() {
        return listener.isWaiting === true;
      },
    });
    return () => {
      this.#listener = undefined;
      unlisten();
    };
  }

  close(): Promise<void> {
    return this.store.close();
  }

  #call<T>(ops: readonly Op[], timeout: number, act: () => Promise<T>): Promise<T> {
    this.calls++;
    const fault = this.faults.call?.(ops);
    if (fault === 'fail') {
      return Promise.reject(new StoreError('ERR_HEADGATE_STORE_DOWN', 'the call has failed'));
    }
    const twice = () => {
      // Executed again, as if the caller had sent it twice without waiting for the first result.
      act().catch(() => {});
      return act();
    };
    const done =
      fault === 'drop' ? undefined : this.#inTurn(fault, fault === 'repeat' ? twice : act);
    return this.#inTime(fault === 'lose' ? undefined : done, timeout);
  }

  /** Executes it after the delayed calls. */
  #inTurn<T>(fault: CallFault | undefined, act: () => Promise<T>): T | Promise<T> {
    const now = this.clock.now();
    const delay = typeof fault === 'object' ? fault.delay : 0;
    const wait = Math.max(delay, this.#busyUntil - now);
    if (wait <= 0) return act();
    this.#busyUntil = now + wait;
    return new Promise<void>((resolve) => this.clock.setTimeout(resolve, wait)).then(act);
  }

  #inTime<T>(answer: T | Promise<T> | undefined, timeout: number): Promise<T> {
    return new Promise((resolve, reject) => {
      const timer = this.clock.setTimeout(() => {
        reject(new StoreError('ERR_HEADGATE_STORE_TIMEOUT', `no answer within ${timeout} ms`));
      }, timeout);
      if (answer === undefined) return;
      const cancel = () => this.clock.clearTimeout(timer);
      Promise.resolve(answer).finally(cancel).then(resolve, reject);
    });
  }

  #push(message: Message, tell: (listener: StoreListener) => void): void {
    const fault = this.faults.message?.(message);
    if (fault === 'drop') return;
    const now = () => {
      if (this.#listener !== undefined) tell(this.#listener);
    };
    if (typeof fault === 'object') this.clock.setTimeout(now, fault.delay);
    else now();
    if (fault === 'repeat') now();
  }
}

/** Wraps a store to inject faults, for tests of code that uses a store. */
export function faultyStore(store: Store): FaultyStore {
  return new FaultyStore(store);
}
