import { checkCount } from '../checks.ts';
import { HeadgateError } from '../errors.ts';
import { deferGrants } from '../semaphore/grants.ts';
import type { Observer, Operation } from '../semaphore/observer.ts';
import type { BasePermit, Permit } from '../semaphore/permit.ts';
import { type CloseOptions, checkClose } from '../semaphore/permit-tracker.ts';
import type { OrderOption } from '../semaphore/queue.ts';
import type { RejectionCause, RejectionReason } from '../semaphore/rejection.ts';
import { keyText } from '../semaphore/request.ts';
import type { Ordering } from '../semaphore/semaphore.ts';
import {
  type GroupMember,
  SemaphoreGroup,
  type SemaphoreSettings,
} from '../semaphore/semaphore-group.ts';
import type { Waiter } from '../semaphore/waiter.ts';
import {
  acquireFrom,
  callLater,
  callWith,
  checkCallback,
  checkWait,
  noOptions,
} from './acquire.ts';
import type { AcquireOptions, WaitOptions } from './acquire-options.ts';
import type { Limiter, LimiterState } from './limiter.ts';
import { ignoredOptions } from './options.ts';
import { DEFAULT_PAUSE_MS, pauseOf, recordRefusal } from './refusals.ts';

/** What an operator changes about a limit, apart from its value. */
export interface OperatedChange {
  readonly status?: 'open' | 'paused' | 'rejecting' | undefined;
  readonly mode?: 'enforce' | 'shadow' | undefined;
}

/** The parts of a limiter that are the same wherever its permits are counted. */
export abstract class BaseLimiter<Semaphore extends GroupMember>
  extends SemaphoreGroup<Semaphore>
  implements Limiter
{
  readonly perKey: boolean;
  readonly isAdaptive: boolean;
  /** Options of requests that the limiter's order ignores. */
  readonly ignores: readonly OrderOption[] | undefined;
  readonly queueLimit: number;
  readonly queueWeight: number;
  readonly queueTimeout: number;
  readonly operations: readonly Operation[];
  abstract readonly isDistributed: boolean;

  constructor(settings: SemaphoreSettings) {
    super(settings);
    this.perKey = settings.perKey;
    this.isAdaptive = this.limitUpdater !== undefined;
    this.ignores = ignoredOptions(settings);
    this.queueLimit = settings.queueLimit;
    this.queueWeight = settings.queueWeight;
    this.queueTimeout = settings.queueTimeout;
    this.operations = [
      ...(settings.isLimitPerRequest ? [] : (['setLimit'] as const)),
      ...(['pause', 'rejectAll', 'resume', 'shadow', 'enforce'] as const),
    ];
  }

  get limiters(): Readonly<Record<string, Limiter>> {
    return { [this.name]: this };
  }

  get state(): LimiterState {
    return this.closed ? 'closed' : this.status;
  }

  get isFixed(): boolean {
    return this.limitUpdater?.isHeld !== false;
  }

  get mode(): 'enforce' | 'shadow' {
    return this.isShadow ? 'shadow' : 'enforce';
  }

  get holders(): number {
    return this.permits.count;
  }

  abstract request(waiter: Waiter): void;

  withdraw(waiter: Waiter): void {
    this.at(waiter)?.withdraw(waiter);
  }

  reject(waiter: Waiter, reason: RejectionReason, cause?: RejectionCause): void {
    this.at(waiter)?.reject(waiter, reason, cause);
  }

  setLimit(limit: number | 'adaptive'): void {
    // A closed limiter ignores this operation.
    if (!this.closed) this.#checkOperation('setLimit');
    if (!this.isAdaptive) checkCount('limit', limit, 1);
    else if (limit !== 'adaptive') checkCount('limit', limit, 1, ', or "adaptive"');
    if (this.closed) return;
    deferGrants(() => {
      this.changeLimit(limit);
      this.#report('setLimit');
    });
  }

  pause(): void {
    this.#operate('pause', { status: 'paused' });
  }

  refused(retryAfter?: number | string | null, key?: string | number): void {
    const pause = pauseOf(retryAfter || 0) || DEFAULT_PAUSE_MS;
    const semaphore = this.findOrCreate(keyText(key), undefined);
    if (recordRefusal(semaphore)) this.pauseFor(pause, key);
  }

  pauseFor(pause: number | string, key?: string | number): void {
    const milliseconds = Math.min(pauseOf(pause), this.settings.maxPause);
    const semaphore = this.findOrCreate(keyText(key), undefined);
    // A header that says 0, or nothing sensible, does not end a pause.
    if (!this.closed && (milliseconds > 0 || pause === 0)) semaphore.pauseFor(milliseconds);
  }

  rejectAll(): void {
    this.#operate('rejectAll', { status: 'rejecting' });
  }

  resume(): void {
    this.#operate('resume', { status: 'open' });
  }

  shadow(): void {
    this.#operate('shadow', { mode: 'shadow' });
  }

  enforce(): void {
    this.#operate('enforce', { mode: 'enforce' });
  }

  #operate(operation: Operation, change: OperatedChange): void {
    this.#checkOperation(operation);
    this.operate(change, () => this.#report(operation));
  }

  /** @throws HeadgateError for an operation that the limiter does not support, and for a closed limiter. */
  #checkOperation(operation: Operation): void {
    const { closed, operations } = this;
    if (!closed && operations.includes(operation)) return;
    const why = closed ? 'it is closed' : `it supports ${operations.join(', ')}`;
    const message = `limiter "${this.name}" does not support ${operation}: ${why}`;
    throw new HeadgateError('ERR_HEADGATE_UNSUPPORTED', message);
  }

  /** `adaptive` only for an adaptive limit. */
  protected abstract changeLimit(limit: number | 'adaptive'): void;
  /** Applies the change, then calls `report`, and then admits or rejects the waiters that it affects. */
  protected abstract operate(change: OperatedChange, report: () => void): void;
  abstract usage(key?: string | number): { limit: number; inflight: number };

  acquire(options?: WaitOptions): Promise<Permit> {
    return acquireFrom(this, options);
  }

  run<T>(fn: (permit: Permit) => T | PromiseLike<T>, options: WaitOptions = noOptions): Promise<T> {
    try {
      checkCallback(fn);
      checkWait('run', options, this);
      const permit = options.signal?.aborted ? undefined : this.tryWithinLimit(options, options);
      return permit === undefined ? callLater(this, fn, options) : callWith(permit, fn);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** Returns a permit if there is room. A distributed limiter cannot tell without its store. */
  tryWithinLimit(_options: AcquireOptions, _ordering?: Ordering): BasePermit | undefined {
    return undefined;
  }

  observe(observer: Observer): () => void {
    return this.settings.observers.add(observer);
  }

  async close(options?: CloseOptions): Promise<number> {
    checkClose(options);
    this.end();
    return this.permits.drain(options);
  }

  /** Rejects new requests and all waiters. */
  protected abstract end(): void;

  #report(operation: Operation): void {
    const { name, limit } = this;
    this.settings.observers.operated?.({ name, operation, limit });
  }
}
