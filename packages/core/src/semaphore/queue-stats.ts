import { type Priority, priorities } from './priority.ts';
import type { QueueStats, ShareStats } from './queue.ts';

/** Adds up the statistics of several queues of the same order: the queues of a limit's keys, or subqueues. */
export function sumStats(all: Iterable<{ stats?(): QueueStats }>): QueueStats {
  let byPriority: Record<Priority, number> | undefined;
  let byShare: Record<string, ShareStats> | undefined;
  for (const queue of all) {
    const own = queue.stats?.();
    if (own?.priorities !== undefined) byPriority = sumPriorities(byPriority, own.priorities);
    if (own?.shares !== undefined) byShare = sumShares(byShare ?? {}, own.shares);
  }
  return { priorities: byPriority, shares: byShare };
}

function sumPriorities(
  sum: Readonly<Record<Priority, number>> | undefined,
  own: Readonly<Record<Priority, number>>,
): Record<Priority, number> {
  const counts = priorities.map((name) => [name, (sum?.[name] ?? 0) + own[name]]);
  return Object.fromEntries(counts) as Record<Priority, number>;
}

function sumShares(
  sum: Readonly<Record<string, ShareStats>>,
  own: Readonly<Record<string, ShareStats>>,
): Record<string, ShareStats> {
  return Object.fromEntries(
    Object.entries(own).map(([name, { part, inflight, queued }]) => {
      const other = sum[name];
      const total = {
        inflight: inflight + (other?.inflight ?? 0),
        queued: queued + (other?.queued ?? 0),
      };
      return [name, { part, ...total }];
    }),
  );
}
