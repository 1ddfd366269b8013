import {
  type Answer,
  type Capabilities,
  type LimitName,
  type Op,
  Store,
  StoreError,
  type StoreListener,
  type StoreStats,
} from '@headgate/core/shared';

/**
 * What becomes of a call.
 *
 * - `fail`: it is not done, and an error says so at once.
 * - `drop`: it is not done, and nobody answers.
 * - `lose`: it is done, and nobody answers.
 * - `repeat`: it is done twice; the second answer counts.
 * - `delay`: it is done after so many milliseconds, and so are those after it: they do not overtake it. Where that is
 *   after its timeout, nobody waits for the answer any more.
 */
export type CallFault = 'fail' | 'drop' | 'lose' | 'repeat' | { readonly delay: number };

/** What becomes of what the store says unasked; what comes later may overtake what is delayed. */
export type NewsFault = 'drop' | 'repeat' | { readonly delay: number };

/** What goes wrong: asked every time; nothing does where it says nothing. */
export interface Faults {
  /** With no operations for `stats`. */
  call?(ops: readonly Op[]): CallFault | undefined;
  news?(news: 'grant' | 'recall' | 'check'): NewsFault | undefined;
}

/** A store between which and its limiters things go wrong on command, by the time of its clock. */
export class FaultyStore extends Store {
  readonly can: Capabilities;
  override readonly owner: string;
  /** May be replaced at any time, for the calls and the news from then on. */
  faults: Faults = {};
  /** Ever sent, whatever became of them. */
  calls = 0;
  #listener: StoreListener | undefined;
  /** When the last call that is delayed will have been done. */
  #busyUntil = -Infinity;

  constructor(private readonly store: Store) {
    super(store);
    this.can = store.can;
    this.owner = store.owner;
  }

  /** Has its limiters told that the connection is lost, or back. */
  say(up: boolean, error?: StoreError): void {
    this.#listener?.state(up, error);
  }

  /** Has its limiters told that they may have missed something. */
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
      grant: (grant) => this.#tell('grant', (told) => told.grant(grant)),
      recall: (ref) => this.#tell('recall', (told) => told.recall(ref)),
      check: () => this.#tell('check', (told) => told.check()),
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
      // As if it had been sent again without waiting for the first answer.
      act().catch(() => {});
      return act();
    };
    const done =
      fault === 'drop' ? undefined : this.#inTurn(fault, fault === 'repeat' ? twice : act);
    return this.#inTime(fault === 'lose' ? undefined : done, timeout);
  }

  /** After those that are delayed. */
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

  #tell(news: 'grant' | 'recall' | 'check', tell: (listener: StoreListener) => void): void {
    const fault = this.faults.news?.(news);
    if (fault === 'drop') return;
    const now = () => {
      if (this.#listener !== undefined) tell(this.#listener);
    };
    if (typeof fault === 'object') this.clock.setTimeout(now, fault.delay);
    else now();
    if (fault === 'repeat') now();
  }
}

/** The same store, with faults on command: for tests of what uses a store. */
export function faultyStore(store: Store): FaultyStore {
  return new FaultyStore(store);
}
