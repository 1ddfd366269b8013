import { startTimer } from '../clock.ts';
import type { CircuitBreaker } from './availability/circuit-breaker.ts';
import { type OperatedChange, SET_NOW } from './contract.ts';
import { renewalPart } from './lease/lease.ts';
import type { Session } from './lease/session.ts';
import type { DistributedSemaphore } from './semaphore/distributed-semaphore.ts';
import type { DistributedSemaphoreGroup } from './semaphore/distributed-semaphore-group.ts';
import { CachedLimitState } from './semaphore/limit-state.ts';
import { OwnLimit } from './semaphore/own-limit.ts';

/**
 * Declares to the store what this process changes of its limit. A limit per key is declared for each key in use here,
 * and under its name without a key, where processes without a common key find it.
 */
export class Declarations {
  /** The limit under its name without a key; undefined if that is the limit itself. */
  readonly #whole: CachedLimitState | undefined;
  /** The change that the store was last asked to make, for each limit. */
  readonly #asked = new WeakMap<CachedLimitState, OperatedChange>();
  /** Changes that the store has not answered. */
  #unanswered = 0;
  #whenAnswered: (() => void)[] = [];
  /** When a limit per key is read next. */
  #readAt = -Infinity;
  #cancelRetry: (() => void) | undefined;

  constructor(
    private readonly group: DistributedSemaphoreGroup<DistributedSemaphore>,
    private readonly session: Session,
    private readonly breaker: CircuitBreaker,
  ) {
    const { perKey, isLimitPerRequest, limit } = group.settings;
    // Version 0, below every other: without its key, such a limit has no value to declare.
    const own = isLimitPerRequest ? new OwnLimit(limit, '0') : undefined;
    if (perKey) this.#whole = new CachedLimitState(group, undefined, own);
  }

  /** Declares the limit that this process has set. */
  declareLimit(): void {
    const { group } = this;
    for (const limitState of this.#all) {
      group.unansweredLimits++;
      this.#send(limitState, undefined, () => group.unansweredLimits--);
    }
  }

  /** The store is available again: declares what it has not confirmed. */
  declareAgain(): void {
    if (this.group.version === SET_NOW) this.declareLimit();
    this.declareChange();
  }

  /** Declares the change that the store has not confirmed. */
  declareChange(): void {
    for (const limitState of this.#all) this.declareChangeOf(limitState);
  }

  /** The same for one limit, once; after a failure again. */
  declareChangeOf(limitState: CachedLimitState): void {
    const { change } = this.group.operated;
    if (change === undefined || this.#asked.get(limitState) === change) return;
    if (this.breaker.error === undefined) this.#send(limitState, change);
  }

  /** Tells the store what is known of the limit, and adopts what it knows. */
  read(limitState: CachedLimitState): void {
    this.#send(limitState);
  }

  /** Whether this is a limit per key that the store also knows without a key. */
  get readsCommon(): boolean {
    return this.#whole !== undefined && this.session.store.can.setLimit;
  }

  /** The store answers: reads a limit per key again, several times per lease. */
  answered(): void {
    if (this.session.store.clock.now() >= this.#readAt) this.readCommon();
  }

  /** Reads a limit per key under its name without a key. */
  readCommon(): void {
    const { clock, leaseDuration } = this.session.store;
    if (this.#whole === undefined || !this.readsCommon) return;
    this.#readAt = clock.now() + leaseDuration * renewalPart;
    this.#send(this.#whole);
  }

  /** Resolves when the store has answered all changes, or after the timeout of a call. */
  async settled(): Promise<void> {
    if (this.#unanswered > 0)
      await new Promise<void>((resolve) => this.#whenAnswered.push(resolve));
  }

  /** The limiter is closed. */
  end(): void {
    this.#cancelRetry?.();
  }

  /** If the store has refused a call, which opens no breaker: declares again, later, what it has not confirmed. */
  #retryLater(): void {
    if (this.#cancelRetry !== undefined || this.breaker.error !== undefined || this.group.closed)
      return;
    const { clock, timeout } = this.session.store;
    const retry = () => {
      this.#cancelRetry = undefined;
      if (this.breaker.error === undefined) this.declareAgain();
    };
    this.#cancelRetry = startTimer(clock, timeout, retry, true);
  }

  get #all(): CachedLimitState[] {
    const keys = this.group.inUse().map(({ limitState }) => limitState);
    return this.#whole === undefined ? keys : [...keys, this.#whole];
  }

  #send(limitState: CachedLimitState, change?: OperatedChange, answered = () => {}): void {
    const { group, session } = this;
    if (change !== undefined) this.#asked.set(limitState, change);
    this.#unanswered++;
    const { ref } = limitState;
    session.send({ verb: 'declare', ref, change }, (answer) => {
      answered();
      if (--this.#unanswered === 0) for (const done of this.#whenAnswered.splice(0)) done();
      if ('error' in answer) {
        if (this.#asked.get(limitState) === change) this.#asked.delete(limitState);
        this.breaker.failed(limitState.key, answer.error);
        return this.#retryLater();
      }
      // Confirmed first, since the answer may already contain another process's later change.
      if (change !== undefined) group.operated.confirmed(change);
      limitState.learn(answer, session.store.clock.now(), ref);
      group.operatedChanged();
    });
  }
}
