import type { Clock } from '../clock.ts';
import { invalid } from '../errors.ts';
import type { AdmittedRequest } from './admitted-request.ts';
import { type Priority, priorities } from './priority.ts';
import type { Waiter } from './waiter.ts';

/** A share of a divided limit. */
export interface ShareStats {
  /** The guaranteed part of the limit, from 0 to 1. */
  readonly part: number;
  /** Weight held now. */
  readonly inflight: number;
  /** Number of waiters now. */
  readonly queued: number;
}

/** How a queue is divided. */
export interface QueueStats {
  /** Number of waiters by priority, if the queue orders by priority. */
  readonly priorities?: Readonly<Record<Priority, number>> | undefined;
  /** The shares by name, if the limit is divided. Requests without a share are not included. */
  readonly shares?: Readonly<Record<string, ShareStats>> | undefined;
}

/** The waiters of a limit, or of one of its keys. All members are synchronous and call no callbacks. */
export interface Queue {
  /** Number of waiters. */
  readonly length: number;
  /** Total weight of the waiters. */
  readonly weight: number;
  /** The waiter that arrived first. */
  readonly oldest: Waiter | undefined;
  /** The waiter that arrived last. In a queue with subqueues: the waiter that a higher-ranked one displaces first. */
  readonly youngest: Waiter | undefined;
  /** The waiter to grant next. */
  readonly next: Waiter | undefined;
  /**
   * Returns the waiter that `newWaiter` displaces from the full queue. If undefined, `newWaiter` itself is rejected.
   * Default: undefined.
   */
  displacedBy?(newWaiter: Waiter): Waiter | undefined;
  /** Whether all waiters are served before a new one. */
  readonly servesInOrder?: boolean;
  /** Whether the waiter may be `next`. If it may not, no other waiter becomes `next` when it is enqueued or removed. */
  mayBeNext(waiter: Waiter): boolean;
  /** Enqueues the waiter in the order of `arrival`, which may be before that of waiters already queued. */
  insert(waiter: Waiter): void;
  /** Removes the waiter from any position; `isGranted` if it was admitted. */
  remove(waiter: Waiter, isGranted: boolean): void;
  /** How the queue is divided, for `stats()`. Default: it is not divided. */
  stats?(): QueueStats;
  /** Called when the weight in flight of a request has changed by `weight`. Only the outermost order is called. */
  changeInflight?(admitted: AdmittedRequest, weight: number): void;
  /**
   * Called when a waiter has been granted, with its weight, and when `adjust` corrects the weight of any request by
   * `weight`, perhaps after its release. Nested orders are called too.
   */
  charge?(admitted: AdmittedRequest, weight: number): void;
}

/** What a queue knows of its limiter. */
export interface QueueContext {
  /** The time of the limiter. */
  readonly clock: Clock;
  /** The limit that the waiters are queued for; it may change. */
  readonly limit: number;
}

/** A request option that only some orders use. */
export type OrderOption = 'priority' | 'fairBy';

/**
 * The queue order of a limiter: the result of `fifo()`, `lifo()`, `byPriority()`, `fair()` or `byShare()`.
 */
export class Order {
  constructor(
    private readonly make: (context: QueueContext) => Queue,
    /** @internal Options of `acquire` and `run` that its queues ignore. A caller that sets one gets an error. */
    readonly ignores: readonly OrderOption[],
    /** @internal Names of the shares of the limit, if it is divided. Such an order cannot be nested in another. */
    readonly shareNames?: readonly string[],
  ) {}

  /** @internal Creates the queue of one limit, or of one key. */
  create(context: QueueContext): Queue {
    return this.make(context);
  }
}

/** @throws HeadgateError for a value that is not an order. */
export function checkOrder(order: Order): Order {
  if (order instanceof Order) return order;
  const expected = 'an order such as fifo() or byPriority()';
  throw invalid('order', expected, order);
}

/** @throws HeadgateError for a value that is not an order, or an order that cannot be nested in another. */
export function checkInner(order: Order): Order {
  if (checkOrder(order).shareNames === undefined) return order;
  const expected =
    'one without byShare(), which goes around all others, as in byShare(parts, byPriority())';
  throw invalid('order', expected, order);
}

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
