import { isControlled, limitSetTo } from '../limits/limit.ts';
import { deferGrants } from '../semaphore/grants.ts';
import { LocalSemaphores } from '../semaphore/local-semaphores.ts';
import type { BasePermit } from '../semaphore/permit.ts';
import type { Rejection } from '../semaphore/rejection.ts';
import { checkRequest, keyText } from '../semaphore/request.ts';
import type { Ordering } from '../semaphore/semaphore.ts';
import type { Waiter } from '../semaphore/waiter.ts';
import { Simulation } from '../shadow/simulation.ts';
import { noOptions } from './acquire.ts';
import { type AcquireOptions, acquireOptions, checkAcquireOptions } from './acquire-options.ts';
import { BaseLimiter, type OperatedChange } from './base-limiter.ts';
import type { LimiterSettings } from './distributed-options.ts';
import type { GateableLimiter } from './limiter.ts';
import { limiterModel } from './limiter-model.ts';

/** Fields for the simulation of a request that never waits. */
const noWaiting = {
  priority: 'normal',
  fairBy: undefined,
  queueTimeout: undefined,
  identity: undefined,
} as const;

/** Enforces a limit within this process. */
export class InProcessLimiter extends BaseLimiter<LocalSemaphores> implements GateableLimiter {
  readonly isDistributed = false;

  constructor(private readonly settings: LimiterSettings) {
    super(new LocalSemaphores(settings));
    if (settings.mode !== 'shadow') return;
    this.semaphores.isShadow = true;
    this.#simulate();
  }

  /** Whether a controller decides when requests start, as with the default limit. */
  get isControlled(): boolean {
    return isControlled(this.settings.limit);
  }

  tryAcquire(options: AcquireOptions = noOptions): BasePermit | undefined {
    if (options !== noOptions) checkAcquireOptions('tryAcquire', options, acquireOptions);
    return this.tryWithinLimit(options) ?? this.tryInShadow(options);
  }

  /** Admits beyond the limit in shadow mode. */
  private tryInShadow(options: AcquireOptions): BasePermit | undefined {
    const { semaphores } = this;
    if (!semaphores.grants || !semaphores.isShadow) return undefined;
    const { limit, weight = 1, share } = options;
    const key = keyText(options.key);
    // If the key is in use, its limit stays as it is: the request has set it before, and a waiter admitted since may
    // have changed it.
    const semaphore = semaphores.find(key) ?? semaphores.findOrCreate(key, limit);
    const permit = semaphore.admit(weight, 0, share, noWaiting);
    semaphores.simulation?.admitted(noWaiting, { key, limit, weight, share }, permit, false);
    return permit;
  }

  override tryWithinLimit(
    { key, limit, weight = 1, share }: AcquireOptions,
    ordering: Ordering = noOptions,
  ): BasePermit | undefined {
    const { semaphores } = this;
    const semaphore = semaphores.findOrCreate(keyText(key), limit);
    // Every limit is at least 1, so weight 1 needs no check.
    if (weight !== 1 || share !== undefined) checkRequest(this, semaphore.limit, weight, share);
    if (semaphores.grants && semaphores.simulation === undefined && semaphore.admits(weight))
      return semaphore.admit(weight, 0, share, ordering);
  }

  /** Admits a request even if that exceeds the limit. */
  admitBeyond({ key, limit, weight = 1, share }: AcquireOptions): BasePermit {
    return this.semaphores.findOrCreate(keyText(key), limit).admit(weight, 0, share, noOptions);
  }

  protected changeLimit(limit: number | 'adaptive'): void {
    const { limitUpdater, settings } = this.semaphores;
    if (limit === 'adaptive') limitUpdater?.adapt(settings.clock.now());
    else {
      limitUpdater?.hold();
      this.semaphores.resize(limit);
    }
    this.#simulate();
  }

  protected operate({ status, mode }: OperatedChange, report: () => void): void {
    const { semaphores } = this;
    const isSame = status === semaphores.state || mode === this.mode;
    if (isSame && this.stats().pausedFor === undefined) return;
    deferGrants(() => {
      if (status !== undefined) semaphores.change(status);
      else {
        semaphores.isShadow = mode === 'shadow';
        this.#simulate();
      }
      for (const semaphore of semaphores.inUse()) semaphore.pauseFor(0);
      report();
    });
    semaphores.applyToWaiters();
  }

  rejectedInShadow(rejection: Rejection, request: object): void {
    this.semaphores.counters.rejectedInShadow(rejection, request);
  }

  /**
   * Starts a simulation if shadow mode is on. Called again after each operation, so that all counts belong to the same
   * limit.
   */
  #simulate(): void {
    const { settings, semaphores } = this;
    semaphores.simulation = undefined;
    if (!semaphores.isShadow || settings.isPart) return;
    const limit = this.isFixed ? limitSetTo(this.limit, settings.limit) : settings.limit;
    const model = limiterModel(settings, limit, (own) => new InProcessLimiter(own));
    const report = this.rejectedInShadow.bind(this);
    semaphores.simulation = new Simulation(settings.clock, report, model);
  }

  usage(key?: string | number): { limit: number; inflight: number } {
    const { limit = this.limit, inflight = 0 } = this.semaphores.find(keyText(key)) ?? {};
    return { limit, inflight };
  }

  displacedBy(newWaiter: Waiter): Waiter | undefined {
    return this.semaphores.find(newWaiter.key)?.displacedBy(newWaiter);
  }
}
