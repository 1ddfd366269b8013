import type { Operation, StoreStats } from '@headgate/core';
import {
  BaseLimiter,
  type CloseOptions,
  checkOperation,
  deferGrants,
  type LimiterSettings,
} from '@headgate/core/engine';
import { checkCount } from '@headgate/core/options';
import type { StoreWarnings } from './availability/store-warnings.ts';
import type { OperatedChange } from './contract.ts';
import { DistributedSemaphores } from './distributed-semaphores.ts';
import type { Session } from './lease/session.ts';
import { checkDistributed } from './settings.ts';

/** Enforces a limit over several processes. Each process leases its permits from a store. */
export class DistributedLimiter extends BaseLimiter<DistributedSemaphores> {
  readonly isDistributed = true;
  readonly operations: readonly Operation[];

  /** @throws HeadgateError for options that the store cannot honour. */
  constructor(
    settings: LimiterSettings,
    private readonly session: Session,
    warnings: StoreWarnings,
  ) {
    super(new DistributedSemaphores(checkDistributed(settings, session.store), session, warnings));
    this.operations = [
      ...(settings.isLimitPerRequest ? [] : (['setLimit'] as const)),
      ...(['pause', 'drain', 'resume', 'shadow', 'enforce'] as const),
    ];
  }

  setLimit(limit: number): void {
    if (!this.closed) checkOperation(this, 'setLimit');
    checkCount('limit', limit, 1);
    // A limit that looks the same here is sent as well: another process may have changed it since.
    if (this.closed) return;
    deferGrants(() => {
      this.semaphores.declare(limit);
      this.report('setLimit');
    });
  }

  pause(): void {
    this.#operate('pause', { status: 'paused' });
  }

  drain(): void {
    this.#operate('drain', { status: 'drained' });
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

  /**
   * Sends a change even if it makes no difference here, since another process may have made a different change
   * meanwhile.
   */
  #operate(operation: Operation, change: OperatedChange): void {
    checkOperation(this, operation);
    this.semaphores.operate(change, () => this.report(operation));
  }

  async storeStats(key?: string): Promise<StoreStats> {
    const stats = await this.session.store.stats({ name: this.name, key });
    this.semaphores.noticed(key, stats);
    return stats;
  }

  override async close(options?: CloseOptions): Promise<number> {
    const left = await super.close(options);
    if (left === 0) await this.session.releases.confirmed();
    // The caller may end the process or close the store next.
    await this.semaphores.changesSettled();
    return left;
  }
}
