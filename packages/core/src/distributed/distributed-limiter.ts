import { checkCount } from '../checks.ts';
import { callLater, checkCallback, checkWait, nothing } from '../limiter/acquire.ts';
import type { WaitOptions } from '../limiter/acquire-options.ts';
import { BaseLimiter } from '../limiter/base-limiter.ts';
import type { LimiterSettings } from '../limiter/distributed-options.ts';
import { checkOperation, unsupported } from '../limiter/operation.ts';
import type { Operation } from '../semaphore/observer.ts';
import type { Permit } from '../semaphore/permit.ts';
import type { CloseOptions } from '../semaphore/permit-tracker.ts';
import type { StoreWarnings } from './availability/store-warnings.ts';
import { DistributedSemaphores } from './distributed-semaphores.ts';
import type { Session } from './lease/session.ts';
import { checkDistributed } from './settings.ts';

/** Enforces a limit over several processes, which lease their permits from a store. */
export class DistributedLimiter extends BaseLimiter<DistributedSemaphores> {
  readonly isDistributed = true;
  readonly operations: readonly Operation[];

  /** @throws HeadgateError for options that the store cannot honour. */
  constructor(
    settings: LimiterSettings,
    private readonly session: Session,
    warnings: StoreWarnings,
  ) {
    super(
      new DistributedSemaphores(checkDistributed(settings, session.store.can), session, warnings),
    );
    const hasLimit = session.store.can.setLimit && settings.isLimitPerRequest !== true;
    this.operations = hasLimit ? ['setLimit'] : [];
  }

  async run<T>(
    fn: (permit: Permit) => T | PromiseLike<T>,
    options: WaitOptions = nothing,
  ): Promise<T> {
    checkCallback(fn);
    checkWait('run', options);
    return callLater(this, fn, options);
  }

  setLimit(limit: number): void {
    if (!this.session.store.can.setLimit) {
      throw unsupported(this.name, 'setLimit', 'its limit is configured in the store itself');
    }
    if (!this.closed) checkOperation(this, 'setLimit');
    this.semaphores.declare(checkCount('limit', limit, 1));
    this.report('setLimit');
  }

  // These would apply to this process only, while the limit applies to all.
  pause(): void {
    checkOperation(this, 'pause');
  }

  drain(): void {
    checkOperation(this, 'drain');
  }

  resume(): void {
    checkOperation(this, 'resume');
  }

  shadow(): void {
    checkOperation(this, 'shadow');
  }

  enforce(): void {
    checkOperation(this, 'enforce');
  }

  freeze(): void {
    checkOperation(this, 'freeze');
  }

  unfreeze(): void {
    checkOperation(this, 'unfreeze');
  }

  usage(key?: string): { limit: number; inflight: number } {
    const { limit = this.limit, inflight = 0 } = this.semaphores.find(key)?.limitState ?? {};
    return { limit, inflight };
  }

  override async close(options?: CloseOptions): Promise<number> {
    const left = await super.close(options);
    if (left === 0) await this.session.releases.confirmed();
    return left;
  }
}
