import { checkChoice, checkCount, checkDuration } from '../checks.ts';
import { invalid } from '../errors.ts';
import type { LimiterSettings, OutagePolicy } from '../limiter/distributed-options.ts';
import type { Capabilities } from './contract.ts';

/** Validated options of a distributed limiter, with defaults. */
export interface DistributedSettings extends LimiterSettings {
  readonly limit: number;
  readonly onStoreError: OutagePolicy;
  readonly handoff: number;
  readonly reserve: number;
}

/**
 * Each lease takes one fencing token for each possible hand-off. Stores number tokens by their clock, in microseconds,
 * and the clock must stay ahead of the tokens at up to 10,000 grants per second: after a total loss of data, tokens
 * continue from the clock.
 */
const MAX_HANDOFF = 100;

/** @throws HeadgateError for options that this store cannot honour. */
export function checkDistributed(
  settings: LimiterSettings,
  can: Capabilities,
): DistributedSettings {
  const { limit, queueTimeout, perKey, distribution } = settings;
  const { onStoreError = 'reject', handoff = 0, reserve = 0 } = distribution ?? {};
  if (typeof limit !== 'number') throw invalid('limit', 'a whole number with a store', limit);
  if (settings.queueWeight !== Infinity) {
    throw invalid('queueWeight', 'omitted with a store', settings.queueWeight);
  }
  if (perKey && !can.keys) throw invalid('perKey', 'false with this store', perKey);
  checkDuration('queueTimeout', queueTimeout);
  if (queueTimeout === 0) {
    const expected = 'above 0 with a store: for no queue, set queueLimit to 0';
    throw invalid('queueTimeout', expected, queueTimeout);
  }
  checkCount('handoff', handoff, 0);
  if (handoff > MAX_HANDOFF) throw invalid('handoff', `at most ${MAX_HANDOFF}`, handoff);
  checkCount('reserve', reserve, 0);
  if (reserve > 0 && limit === 1) throw invalid('reserve', '0 at a limit of 1', reserve);
  if (reserve > 0 && !can.recall) throw invalid('reserve', '0 with this store', reserve);
  checkChoice('onStoreError', onStoreError, ['reject', 'admit', 'local']);
  return { ...settings, limit, onStoreError, handoff, reserve };
}
