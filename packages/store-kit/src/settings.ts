import { checkChoice, type LimiterSettings, type OutagePolicy } from '@headgate/core/engine';
import { checkDuration, invalid } from '@headgate/core/options';
import type { LeaseStore } from './contract.ts';

/** Validated options of a distributed limiter, with defaults. */
export interface DistributedSettings extends LimiterSettings {
  readonly limit: number;
  readonly onStoreError: OutagePolicy;
  readonly handoff: number;
  readonly reserve: number;
}

/** @throws HeadgateError for options that this store cannot honour. */
export function checkDistributed(
  settings: LimiterSettings,
  { can, handoff, reserve }: LeaseStore,
): DistributedSettings {
  const { limit, queueTimeout, distribution } = settings;
  const { onStoreError = 'reject' } = distribution ?? {};
  if (typeof limit !== 'number') throw invalid('limit', 'a whole number with a store', limit);
  if (settings.queueWeight !== Infinity) {
    throw invalid('queueWeight', 'omitted with a store', settings.queueWeight);
  }
  checkDuration('queueTimeout', queueTimeout);
  if (queueTimeout === 0) {
    const expected = 'above 0 with a store: for no queue, set queueLimit to 0';
    throw invalid('queueTimeout', expected, queueTimeout);
  }
  if (reserve > 0 && !can.recall) throw invalid('reserve', '0 with this store', reserve);
  checkChoice('onStoreError', onStoreError, ['reject', 'admit', 'local']);
  return { ...settings, limit, onStoreError, handoff, reserve };
}
