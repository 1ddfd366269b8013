import type { StoreStats } from '@headgate/core';
import type { LimitName } from '@headgate/store-kit';

/** Maximum number of limits that metrics and the page show, since clients choose the names. */
export const MAX_LIMITS_SHOWN = 100;

/** A limit, over all its keys. */
export interface LimitSummary {
  readonly name: string;
  /** The limit, of each key if it has keys. */
  limit: number;
  /** Number of its keys, including those that were used recently; 0 if it has none. */
  keys: number;
  /** Weight held. */
  inflight: number;
  /** Number of waiters. */
  queued: number;
  /** How long its first waiter has waited, in milliseconds. */
  longestWait: number;
}

/** Sums up limits and their keys by the limit's name, in the order of the names. */
export function summarize(all: Iterable<LimitName & StoreStats>): LimitSummary[] {
  const byName = new Map<string, LimitSummary>();
  for (const { name, key, limit, inflight, queued, longestWait } of all) {
    const none = { name, limit: 0, keys: 0, inflight: 0, queued: 0, longestWait: 0 };
    const summary = byName.get(name) ?? none;
    byName.set(name, summary);
    summary.limit = Math.max(summary.limit, limit);
    summary.keys += key === undefined ? 0 : 1;
    summary.inflight += inflight;
    summary.queued += queued;
    summary.longestWait = Math.max(summary.longestWait, longestWait);
  }
  return [...byName.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
}
