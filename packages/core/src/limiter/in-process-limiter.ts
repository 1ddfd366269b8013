import { checkCount } from '../checks.ts';
import { invalid } from '../errors.ts';
import { LocalSemaphores } from '../semaphore/local-semaphores.ts';
import type { BasePermit, Permit } from '../semaphore/permit.ts';
import { checkRequest } from '../semaphore/request.ts';
import type { Waiter } from '../semaphore/waiter.ts';
import { callLater, callWith, checkCallback, checkWait, nothing } from './acquire.ts';
import type { AcquireOptions, WaitOptions } from './acquire-options.ts';
import { BaseLimiter } from './base-limiter.ts';
import type { LimiterSettings } from './distributed-options.ts';
import type { GateableLimiter } from './limiter.ts';

/** Enforces a limit within this process. */
export class InProcessLimiter extends BaseLimiter<LocalSemaphores> implements GateableLimiter {
  readonly isDistributed = false;

  constructor(settings: LimiterSettings) {
    super(new LocalSemaphores(settings));
  }

  tryAcquire(options: AcquireOptions = nothing): BasePermit | undefined {
    const { weight = 1, share } = options;
    const { semaphores } = this;
    const semaphore = semaphores.findOrCreate(options.key, options.limit);
    // Any limit allows a weight of 1.
    if (weight !== 1 || share !== undefined) checkRequest(this, semaphore.limit, weight, share);
    return semaphores.closed || !semaphore.admits(weight)
      ? undefined
      : semaphore.admit(weight, 0, share);
  }

  admitBeyond({ key, limit, weight = 1, share }: AcquireOptions): BasePermit {
    return this.semaphores.findOrCreate(key, limit).admit(weight, 0, share);
  }

  run<T>(fn: (permit: Permit) => T | PromiseLike<T>, options: WaitOptions = nothing): Promise<T> {
    try {
      checkCallback(fn);
      checkWait('run', options);
      const permit = this.tryAcquire(options);
      if (permit !== undefined) return callWith(permit, fn);
    } catch (error) {
      return Promise.reject(error);
    }
    return callLater(this, fn, options);
  }

  setLimit(limit: number): void {
    if (this.isAdaptive) throw invalid('limit', 'left to its algorithm, as it is adaptive', limit);
    this.semaphores.resize(checkCount('limit', limit, 1));
  }

  usage(key?: string): { limit: number; inflight: number } {
    const { limit = this.limit, inflight = 0 } = this.semaphores.find(key) ?? {};
    return { limit, inflight };
  }

  displacedBy(newcomer: Waiter): Waiter | undefined {
    return this.semaphores.find(newcomer.key)?.displacedBy(newcomer);
  }
}
