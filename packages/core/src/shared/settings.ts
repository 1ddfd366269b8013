import { checkChoice, checkCount, checkDuration } from '../checks.ts';
import { invalid } from '../errors.ts';
import type { LimiterSettings } from '../limiter/pools.ts';
import type { OutagePolicy } from '../limiter/source.ts';
import type { Store } from './store.ts';

/** What a limiter has been told that leases from a store, checked and completed. */
export interface SharedSettings extends LimiterSettings {
  readonly limit: number;
  readonly onStoreError: OutagePolicy;
  readonly handoff: number;
  readonly reserve: number;
}

/** After 100 ms a permit goes back anyhow; each takes a fencing token, of which no more than 2^53 can be told apart. */
const mostHandoffs = 10_000;

/** @throws HeadgateError for what this store cannot honour. */
export function checkShared(settings: LimiterSettings, { can }: Store): SharedSettings {
  const { limit, queueTimeout, perKey, sharing } = settings;
  const { onStoreError = 'reject', handoff = 0, reserve = 0 } = sharing ?? {};
  if (typeof limit !== 'number') throw invalid('limit', 'a whole number beside a store', limit);
  if (settings.queueWeight !== Infinity) {
    throw invalid('queueWeight', 'left out beside a store', settings.queueWeight);
  }
  if (perKey && !can.keys) throw invalid('perKey', 'false beside this store', perKey);
  checkDuration('queueTimeout', queueTimeout);
  if (queueTimeout === 0) {
    const expected = 'above 0 beside a store: to let nobody wait, leave queueLimit at 0';
    throw invalid('queueTimeout', expected, queueTimeout);
  }
  checkCount('handoff', handoff, 0);
  if (handoff > mostHandoffs) throw invalid('handoff', `at most ${mostHandoffs}`, handoff);
  checkCount('reserve', reserve, 0);
  if (reserve > 0 && limit === 1) throw invalid('reserve', '0 at a limit of 1', reserve);
  if (reserve > 0 && !can.recall) throw invalid('reserve', '0 beside this store', reserve);
  checkChoice('onStoreError', onStoreError, ['reject', 'admit', 'local']);
  return { ...settings, limit, onStoreError, handoff, reserve };
}
