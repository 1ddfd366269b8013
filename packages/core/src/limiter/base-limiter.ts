import type { Observer, Operation } from '../semaphore/observer.ts';
import type { Permit } from '../semaphore/permit.ts';
import { type CloseOptions, checkClose } from '../semaphore/permit-tracker.ts';
import type { OrderOption } from '../semaphore/queue.ts';
import type { RejectionCause, RejectionReason } from '../semaphore/rejection.ts';
import type { GroupMember, SemaphoreGroup } from '../semaphore/semaphore-group.ts';
import type { Waiter } from '../semaphore/waiter.ts';
import { acquireFrom, callLater, checkCallback, checkWait, noOptions } from './acquire.ts';
import type { WaitOptions } from './acquire-options.ts';
import type { Limiter, LimiterState } from './limiter.ts';
import { ignoredOptions } from './options.ts';
import type { LimiterStats } from './stats.ts';

/** The parts of a limiter that are the same wherever its permits are counted. */
export abstract class BaseLimiter<Semaphores extends SemaphoreGroup<GroupMember>>
  implements Limiter
{
  readonly name: string;
  readonly perKey: boolean;
  readonly isAdaptive: boolean;
  readonly shareNames: readonly string[];
  /** Options of requests that the limiter's order ignores. */
  readonly ignores: readonly OrderOption[] | undefined;
  readonly queueLimit: number;
  readonly queueWeight: number;
  readonly queueTimeout: number;
  abstract readonly isDistributed: boolean;

  constructor(protected readonly semaphores: Semaphores) {
    const { settings, limitUpdater, shareNames } = semaphores;
    this.name = settings.name;
    this.perKey = settings.perKey;
    this.isAdaptive = limitUpdater !== undefined;
    this.shareNames = shareNames;
    this.ignores = ignoredOptions(settings);
    this.queueLimit = settings.queueLimit;
    this.queueWeight = settings.queueWeight;
    this.queueTimeout = settings.queueTimeout;
  }

  get limiters(): Readonly<Record<string, Limiter>> {
    return { [this.name]: this };
  }

  get closed(): boolean {
    return this.semaphores.closed;
  }

  get state(): LimiterState {
    return this.closed ? 'closed' : this.semaphores.state;
  }

  get frozen(): boolean {
    return this.semaphores.limitUpdater?.isFrozen === true;
  }

  get mode(): 'enforce' | 'shadow' {
    return this.semaphores.isShadow ? 'shadow' : 'enforce';
  }

  get limit(): number {
    return this.semaphores.limit;
  }

  get inflight(): number {
    return this.semaphores.inflight;
  }

  get queued(): number {
    return this.semaphores.queued;
  }

  get holders(): number {
    return this.semaphores.permits.count;
  }

  request(waiter: Waiter): void {
    this.semaphores.request(waiter);
  }

  withdraw(waiter: Waiter): void {
    this.semaphores.at(waiter)?.withdraw(waiter);
  }

  reject(waiter: Waiter, reason: RejectionReason, cause?: RejectionCause): void {
    this.semaphores.at(waiter)?.reject(waiter, reason, cause);
  }

  abstract setLimit(limit: number): void;
  abstract readonly operations: readonly Operation[];
  abstract pause(): void;
  abstract drain(): void;
  abstract resume(): void;
  abstract shadow(): void;
  abstract enforce(): void;
  abstract freeze(): void;
  abstract unfreeze(): void;
  abstract usage(key?: string): { limit: number; inflight: number };

  acquire(options?: WaitOptions): Promise<Permit> {
    return acquireFrom(this, options);
  }

  async run<T>(
    fn: (permit: Permit) => T | PromiseLike<T>,
    options: WaitOptions = noOptions,
  ): Promise<T> {
    checkCallback(fn);
    checkWait('run', options, this);
    return callLater(this, fn, options);
  }

  observe(observer: Observer): () => void {
    return this.semaphores.settings.observers.add(observer);
  }

  async close(options?: CloseOptions): Promise<number> {
    checkClose(options);
    this.semaphores.close();
    return this.semaphores.permits.drain(options);
  }

  /** Reports an operation to the observers. */
  protected report(operation: Operation): void {
    const { name, observers } = this.semaphores.settings;
    observers.operated?.({ name, operation, limit: this.limit });
  }

  stats(): LimiterStats {
    return this.semaphores.stats();
  }
}
