import type { StoreStats } from '@headgate/core';
import {
  BaseLimiter,
  type CloseOptions,
  keyText,
  type LimiterSettings,
} from '@headgate/core/engine';
import type { StoreWarnings } from './availability/store-warnings.ts';
import type { OperatedChange } from './contract.ts';
import { DistributedSemaphores } from './distributed-semaphores.ts';
import type { Session } from './lease/session.ts';
import { checkDistributed } from './settings.ts';

/** Enforces a limit over several processes. Each process leases its permits from a store. */
export class DistributedLimiter extends BaseLimiter<DistributedSemaphores> {
  readonly isDistributed = true;

  /** @throws HeadgateError for options that the store cannot honour. */
  constructor(
    settings: LimiterSettings,
    private readonly session: Session,
    warnings: StoreWarnings,
  ) {
    super(new DistributedSemaphores(checkDistributed(settings, session.store), session, warnings));
  }

  /** A limit that looks the same here is sent as well: another process may have changed it since. */
  protected changeLimit(limit: number): void {
    this.semaphores.declare(limit);
  }

  /** As with the limit, a change that makes no difference here is sent as well. */
  protected operate(change: OperatedChange, report: () => void): void {
    this.semaphores.operate(change, report);
  }

  usage(key?: string | number): { limit: number; inflight: number } {
    const { limit = this.limit, inflight = 0 } =
      this.semaphores.find(keyText(key))?.limitState ?? {};
    return { limit, inflight };
  }

  async storeStats(ofKey?: string | number): Promise<StoreStats> {
    const key = keyText(ofKey);
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
