import type { Outcome } from '../limits/limit.ts';
import type { LimitUpdater } from '../limits/limit-updater.ts';
import { BasePermit, type Pause, type PermitRegistry } from './permit.ts';
import type { Inheritance, PausedRequest } from './priority.ts';
import type { Queue } from './queue.ts';
import type { SemaphoreGroup } from './semaphore-group.ts';

/** Milliseconds below which the time until `stopCounting` is no sample, since it is called up to 100 ms late. */
const MIN_SAMPLE_MS = 1000;

interface PermitSource {
  readonly key: string | undefined;
  readonly inflight: number;
  readonly group: Pick<SemaphoreGroup<never>, 'permits' | 'settings' | 'limitUpdater'>;
  readonly queue: Queue;
  inheritance: Inheritance | undefined;
  changeWeight(permit: LocalPermit, change: number): void;
  release(permit: LocalPermit): void;
}

/** A permit of a limit that is counted in this process. */
export class LocalPermit extends BasePermit {
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

  /** Name of the permit's share, if the limit is divided. */
  get share(): string | undefined {
    return this.extra?.share;
  }

  set share(share: string) {
    this.extras().share = share;
  }

  countsAgainst(limit: string): boolean {
    return this.semaphore.group.settings.name === limit;
  }

  override pause(request: PausedRequest, pause: Pause): void {
    // `maxHold` may have released it since the admission.
    if (this.released || this.extra?.endPause) return;
    const endPause = pause(this as never, request);
    if (endPause) this.extras().endPause = endPause;
  }

  override resume(): void {
    const { permits, limitUpdater } = this.semaphore.group;
    if (!this.stopPause() || limitUpdater === undefined) return;
    this.noteLeft(this.weight);
    permits.restart(this);
  }

  override pauseCounting(): void {
    if (this.released || this.extra?.uncounted !== undefined) return;
    this.extras().uncounted = 'paused';
    this.changeCount(-this.weight);
  }

  override countAgain(): void {
    const { extra, semaphore } = this;
    if (this.released || extra?.uncounted !== 'paused') return;
    extra.uncounted = undefined;
    extra.countedSince = semaphore.group.settings.clock.now();
    semaphore.changeWeight(this, this.weight);
  }

  override stopCounting(outcome: Outcome = 'ok'): void {
    this.countAgain();
    if (this.released || this.extra?.uncounted !== undefined) return;
    const { group } = this.semaphore;
    this.extras().uncounted = 'stopped';
    if (group.settings.clock.now() - this.countedSince >= MIN_SAMPLE_MS)
      this.endWork(group.limitUpdater, outcome);
    this.noteLeft(this.weight);
    this.semaphore.release(this);
  }

  protected changeWeight(weight: number): void {
    const change = weight - this.weight;
    this.weight = weight;
    if (this.counts) this.changeCount(change);
  }

  protected returnWeight(outcome: Outcome): void {
    const { semaphore } = this;
    // The usual case is short, so that V8 inlines the whole life of a permit.
    if (this.extra === undefined && semaphore.group.limitUpdater === undefined)
      semaphore.release(this);
    else this.endWorkAndRelease(outcome);
  }

  private endWorkAndRelease(outcome: Outcome): void {
    const { semaphore, extra } = this;
    if (extra?.uncounted === 'stopped') return;
    const isUncounted = extra?.uncounted === 'paused';
    // The release below subtracts it again.
    if (isUncounted) semaphore.changeWeight(this, this.weight);
    this.endWork(isUncounted ? undefined : semaphore.group.limitUpdater, outcome);
    if (!isUncounted) this.noteLeft(this.weight);
    semaphore.release(this);
  }

  /** When the work began that an adaptive limit measures. */
  private get countedSince(): number {
    return this.extra?.countedSince ?? this.since;
  }

  /** Changes the weight that counts. */
  private changeCount(change: number): void {
    if (change < 0) this.noteLeft(-change);
    this.semaphore.changeWeight(this, change);
  }

  /** This weight does not count any more. */
  private noteLeft(weight: number): void {
    this.semaphore.group.limitUpdater?.left(this.countedSince, weight);
  }

  private endWork(limitUpdater: LimitUpdater | undefined, outcome: Outcome): void {
    const wasPaused = this.stopPause();
    if (limitUpdater === undefined || wasPaused || outcome === 'ignored') return;
    const { kind, weight } = this;
    const { group, inflight } = this.semaphore;
    const now = group.settings.clock.now();
    // Adaptive limits are not per key.
    const working = inflight - limitUpdater.idle;
    const rtt = now - this.countedSince;
    limitUpdater.sample({ rtt, inflight: working, weight, outcome, now, kind });
  }

  /** Returns whether it was paused. */
  private stopPause(): boolean {
    const { extra } = this;
    if (extra?.endPause === undefined) return false;
    extra.endPause();
    extra.endPause = undefined;
    return true;
  }
}
