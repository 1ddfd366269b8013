import type { ControlledPermit, Controller } from '../limits/controller.ts';
import type { Outcome } from '../limits/limit.ts';
import type { LimitUpdater } from '../limits/limit-updater.ts';
import type { AdmittedRequest } from './admitted-request.ts';
import { BasePermit, type PermitHolder, type PermitRegistry } from './permit.ts';
import type { Priority } from './priority.ts';
import type { Queue } from './queue.ts';
import type { SemaphoreGroup } from './semaphore-group.ts';
import type { Waiter } from './waiter.ts';

/** Why the weight in flight has changed. A permit that is `paused` is held but does not count until it is `resumed`. */
export type PermitChange = 'granted' | 'adjusted' | 'paused' | 'resumed' | 'released';

interface PermitSource {
  readonly key: string | undefined;
  readonly inflight: number;
  readonly group: Pick<SemaphoreGroup<never>, 'permits' | 'settings' | 'limitUpdater'>;
  readonly queue: Queue;
  readonly controller: Pick<Controller, 'delay'> | undefined;
  changeCount(permit: LocalPermit, by: number, change: PermitChange): void;
  release(permit: LocalPermit, counted: number): void;
}

/**
 * A permit of a limit that is counted in this process. Until its release it counts, or is `uncounted` for a reason:
 *
 * - `paused`: its request waits for its client, or at another limit; `countAgain` ends that.
 * - `stuck`: its controller has given it up, but it is still a sample of an adaptive limit.
 * - `stopped`: its work is done, and its response is sent. The weight has returned, and the sample has been taken.
 */
export class LocalPermit extends BasePermit implements AdmittedRequest, ControlledPermit {
  /** The waiter of its request, if the request was queued. Declared without a value, as in the base class. */
  declare waiter: Waiter | undefined;
  // What its controller knows, if it has one.
  declare startedAt: number | undefined;
  declare older: ControlledPermit | undefined;
  declare newer: ControlledPermit | undefined;

  constructor(
    readonly semaphore: PermitSource,
    weight: number,
    waited: number,
  ) {
    super(weight, waited);
  }

  get key(): string | undefined {
    return this.semaphore.key;
  }

  protected get registry(): PermitRegistry {
    return this.semaphore.group.permits;
  }

  override get isControlled(): boolean {
    return this.semaphore.controller !== undefined;
  }

  get share(): string | undefined {
    return this.extra?.request?.share;
  }

  get fairBy(): string | undefined {
    return this.extra?.request?.fairBy;
  }

  get priority(): Priority {
    return this.extra?.request?.priority ?? 'normal';
  }

  /** Remembers the request for the limit's order. */
  set request(request: AdmittedRequest) {
    this.extras().request = request;
  }

  countsAgainst(limit: string): boolean {
    return this.semaphore.group.settings.name === limit;
  }

  /** An adaptive limit does not count the request meanwhile. */
  override holdFor(request: PermitHolder): void {
    const { limitUpdater } = this.semaphore.group;
    // `maxHold` may have released it since the admission.
    if (limitUpdater === undefined || this.released || this.extra?.holder !== undefined) return;
    this.extras().holder = request;
    limitUpdater.idle += this.weight;
  }

  override startWork(): void {
    if (!this.endIdleTime()) return;
    this.reportLeft(this.weight);
    this.semaphore.group.permits.restart(this);
  }

  override pauseCounting(): void {
    this.uncount('paused');
  }

  giveUp(): void {
    this.uncount('stuck');
  }

  override countAgain(): void {
    const { extra, semaphore } = this;
    if (this.released || extra?.uncounted !== 'paused') return;
    extra.countedSince = semaphore.group.settings.clock.now();
    extra.uncounted = undefined;
    semaphore.changeCount(this, this.weight, 'resumed');
  }

  override mark(): void {
    const { limitUpdater } = this.semaphore.group;
    if (limitUpdater === undefined || this.isControlled) return;
    if (this.released || this.extra?.isJudged) return;
    this.reportLeft(this.weight);
    this.extras().isJudged = true;
    limitUpdater.judged += this.weight;
    // Runs last: the algorithm and the waiters that a raised limit admits may release the permit.
    this.judge(limitUpdater, 'ok');
  }

  override stopCounting(outcome: Outcome = 'ok', maxDelay = 0): void {
    this.countAgain();
    if (this.released || this.extra?.uncounted === 'stopped') return;
    const { weight } = this;
    const counted = this.isStuck ? 0 : weight;
    const { group } = this.semaphore;
    this.extras().uncounted = 'stopped';
    // Shorter work is not measured, since the result would consist mostly of the delay.
    if (group.settings.clock.now() - this.countedSince >= 2 * maxDelay)
      this.endWork(group.limitUpdater, outcome, weight, maxDelay);
    this.reportLeft(counted);
    this.semaphore.release(this, counted);
  }

  protected changeWeight(weight: number): void {
    const change = weight - this.weight;
    this.weight = weight;
    const { limitUpdater } = this.semaphore.group;
    if (limitUpdater !== undefined && this.extra?.isJudged && !this.released)
      limitUpdater.judged += change;
    this.semaphore.queue.charge?.(this, change);
    if (!this.released && this.extra?.uncounted === undefined) this.changeCount(change, 'adjusted');
  }

  protected returnWeight(outcome: Outcome, weight: number): void {
    const { semaphore } = this;
    // The usual case is kept short, so that V8 inlines the whole life of a permit.
    if (this.extra === undefined && semaphore.group.limitUpdater === undefined)
      semaphore.release(this, weight);
    else this.endWorkAndRelease(outcome, weight);
  }

  private endWorkAndRelease(outcome: Outcome, weight: number): void {
    const { semaphore, extra } = this;
    if (extra?.uncounted === 'stopped') return;
    if (extra?.uncounted === 'paused') {
      this.endIdleTime();
      return semaphore.release(this, 0);
    }
    const counted = this.isStuck ? 0 : weight;
    this.endWork(semaphore.group.limitUpdater, outcome, weight);
    this.reportLeft(counted);
    semaphore.release(this, counted);
  }

  /** Whether its controller has given it up. Its duration is still a sample. */
  private get isStuck(): boolean {
    return this.extra?.uncounted === 'stuck';
  }

  /** The time at which the work started. An adaptive limit measures the duration from here. */
  private get countedSince(): number {
    return this.extra?.countedSince ?? this.since;
  }

  private uncount(why: 'paused' | 'stuck'): void {
    if (this.released || this.extra?.uncounted !== undefined) return;
    this.extras().uncounted = why;
    this.changeCount(-this.weight, 'paused');
  }

  /** Changes the weight that counts. */
  private changeCount(by: number, change: PermitChange): void {
    if (by < 0) this.reportLeft(-by);
    this.semaphore.changeCount(this, by, change);
  }

  /** Notifies the adaptive limit that this weight no longer counts. */
  private reportLeft(weight: number): void {
    if (this.extra?.isJudged) return;
    this.semaphore.group.limitUpdater?.left(this.countedSince, weight);
  }

  private endWork(
    limitUpdater: LimitUpdater | undefined,
    outcome: Outcome,
    weight: number,
    maxDelay = 0,
  ): void {
    const wasIdle = this.endIdleTime();
    if (limitUpdater === undefined) return;
    const isJudged = this.extra?.isJudged === true;
    if (isJudged) limitUpdater.judged -= weight;
    if (wasIdle || outcome === 'ignored' || (isJudged && outcome === 'ok')) return;
    this.judge(limitUpdater, outcome, maxDelay);
  }

  private judge(limitUpdater: LimitUpdater, outcome: 'ok' | 'dropped', maxDelay = 0): void {
    const { kind, weight } = this;
    const { group, inflight } = this.semaphore;
    const now = group.settings.clock.now();
    // An adaptive limit has no keys, so this semaphore holds all of its work in flight.
    const working = inflight - limitUpdater.idle;
    // The time at which the work ended is only known to lie within the delay; on average, it is in the middle.
    const rtt = now - maxDelay / 2 - this.countedSince;
    const delay = this.semaphore.controller?.delay() ?? 0;
    limitUpdater.sample({ rtt, inflight: working, weight, outcome, now, kind }, delay);
  }

  /** Returns whether its request was queued at a later limit. */
  private endIdleTime(): boolean {
    const { extra } = this;
    const { limitUpdater } = this.semaphore.group;
    if (limitUpdater === undefined || extra?.holder === undefined) return false;
    extra.holder = undefined;
    limitUpdater.idle -= this.weight;
    return true;
  }
}
