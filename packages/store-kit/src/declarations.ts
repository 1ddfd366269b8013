import { startTimer } from '@headgate/core/engine';
import type { CircuitBreaker } from './availability/circuit-breaker.ts';
import { type OperatedChange, SET_NOW } from './contract.ts';
import { renewalPart } from './lease/lease.ts';
import type { Session } from './lease/session.ts';
import type { DistributedSemaphore } from './semaphore/distributed-semaphore.ts';
import type { DistributedSemaphoreGroup } from './semaphore/distributed-semaphore-group.ts';
import { CachedLimitState } from './semaphore/limit-state.ts';
import { OwnLimit } from './semaphore/own-limit.ts';

/**
 * Declares this process's changes of its limit to the store. A limit per key is declared for each key in use here, and
 * once without a key, where processes that share no key can read it.
 */
export class Declarations {
  /** For a keyed limit: the limit that is declared without a key. Otherwise undefined. */
  readonly #whole: CachedLimitState | undefined;
  /** For each limit: the change that was last sent to the store. */
  readonly #asked = new WeakMap<CachedLimitState, OperatedChange>();
  /** For each limit: when the pause ends that the store has not confirmed; in the past if that ends a pause. */
  readonly #pauses = new Map<CachedLimitState, number>();
  /** Number of changes that the store has not answered. */
  #unanswered = 0;
  #whenAnswered: (() => void)[] = [];
  /** When to read a keyed limit again. */
  #readAt = -Infinity;
  #cancelRetry: (() => void) | undefined;

  constructor(
    private readonly group: DistributedSemaphoreGroup<DistributedSemaphore>,
    private readonly session: Session,
    private readonly breaker: CircuitBreaker,
  ) {
    const { perKey, isLimitPerRequest, limit } = group.settings;
    // If each request sets the limit of its key, there is no common limit to declare. Version 0 is lower than every
    // other, so it has no effect.
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

  /** Called when the store is available again: repeats declarations that it has not confirmed. */
  declareAgain(): void {
    if (this.group.version === SET_NOW) this.declareLimit();
    this.declareChange();
    for (const limitState of this.#pauses.keys()) this.#sendPause(limitState);
  }

  /** Declares the change to each limit for which the store has not confirmed it. */
  declareChange(): void {
    for (const limitState of this.#all) this.declareChangeOf(limitState);
  }

  /** Declares the change of one limit once. Tries again only after a failure. */
  declareChangeOf(limitState: CachedLimitState): void {
    const { change } = this.group.operated;
    if (change === undefined || this.#asked.get(limitState) === change) return;
    if (this.breaker.error === undefined) this.#send(limitState, change);
  }

  /** Pauses the limit, or a key of it, at the store; once that is available, if it is not. */
  declarePause(limitState: CachedLimitState, pause: number): void {
    this.#pauses.set(limitState, this.session.store.clock.now() + pause);
    if (this.breaker.error === undefined) this.#sendPause(limitState);
  }

  /** Called when a change of the limit, which the store applies as well, has ended all its pauses. */
  forgetPauses(): void {
    this.#pauses.clear();
  }

  #sendPause(limitState: CachedLimitState): void {
    const until = this.#pauses.get(limitState) as number;
    const pause = Math.max(0, until - this.session.store.clock.now());
    const confirmed = () => {
      if (this.#pauses.get(limitState) === until) this.#pauses.delete(limitState);
    };
    this.#send(limitState, undefined, undefined, { pause, confirmed });
  }

  /** Sends the store this process's state of the limit, and adopts the state in the answer. */
  read(limitState: CachedLimitState): void {
    this.#send(limitState);
  }

  /** Whether this is a keyed limit that is also declared without a key. */
  get readsCommon(): boolean {
    return this.#whole !== undefined;
  }

  /** Called when the store has answered. Reads a keyed limit again if it is due, which is several times per lease. */
  answered(): void {
    if (this.session.store.clock.now() >= this.#readAt) this.readCommon();
  }

  /** Reads a keyed limit as it is declared without a key. */
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

  /** Called when the limiter is closed. */
  end(): void {
    this.#cancelRetry?.();
  }

  /**
   * Repeats unconfirmed declarations later. Needed if the store refused a call, since a refusal does not open the
   * circuit breaker.
   */
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

  #send(
    limitState: CachedLimitState,
    change?: OperatedChange,
    answered = () => {},
    { pause, confirmed }: { pause?: number; confirmed?: () => void } = {},
  ): void {
    const { group, session } = this;
    if (change !== undefined) this.#asked.set(limitState, change);
    this.#unanswered++;
    const { ref } = limitState;
    session.send({ verb: 'declare', ref, change, pause }, (answer) => {
      answered();
      if (--this.#unanswered === 0) for (const done of this.#whenAnswered.splice(0)) done();
      if ('error' in answer) {
        if (this.#asked.get(limitState) === change) this.#asked.delete(limitState);
        this.breaker.failed(limitState.key, answer.error);
        return this.#retryLater();
      }
      confirmed?.();
      // Confirmed first: the answer may already contain a later change by another process.
      if (change !== undefined) group.operated.confirmed(change);
      limitState.learn(answer, session.store.clock.now(), ref);
      group.operatedChanged();
    });
  }
}
