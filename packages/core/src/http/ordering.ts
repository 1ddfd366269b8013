import { checkFunction } from '../checks.ts';
import { invalid } from '../errors.ts';
import { byPriority } from '../queues/by-priority.ts';
import { fair } from '../queues/fair.ts';
import { checkPriority, type Priority } from '../semaphore/priority.ts';
import type { Order } from '../semaphore/queue.ts';
import type { Waiter } from '../semaphore/waiter.ts';

interface OrderingOptions<R> {
  readonly order?: Order | undefined;
  readonly priority?: ((request: R) => Priority) | undefined;
  readonly fairBy?: ((request: R) => string) | undefined;
}

/** Reads each request's priority and flow, and derives the queue order from the options. */
export class Ordering<R> {
  /** For the middleware's own queues; undefined if no order, priority or fairness is set. */
  readonly order: Order | undefined;
  readonly #priority: ((request: R) => Priority) | undefined;
  readonly #fairBy: ((request: R) => string) | undefined;

  constructor({ order, priority, fairBy }: OrderingOptions<R>) {
    this.#priority = checkFunction('priority', priority);
    this.#fairBy = checkFunction('fairBy', fairBy);
    const within = fairBy === undefined ? order : fair(order);
    this.order = priority === undefined ? within : byPriority(within);
  }

  /** Copies the request's priority and flow to the waiter; rethrows what the app's functions throw. */
  assign(waiter: Waiter, request: R): void {
    if (this.#priority !== undefined) {
      waiter.priority = checkPriority(this.#priority(request));
    }
    if (this.#fairBy !== undefined) waiter.fairBy = checkParty(this.#fairBy(request));
  }
}

/**
 * @throws HeadgateError for options without effect: with a store for every limit, all queues are first in, first out.
 */
export function checkUnordered<R>({
  priority,
  fairBy,
  guard,
}: OrderingOptions<R> & { readonly guard?: unknown }): void {
  if (fairBy !== undefined) throw invalid('fairBy', 'omitted when every limit has a store', fairBy);
  // A guard uses the priority as well.
  if (priority === undefined || guard !== undefined) return;
  throw invalid('priority', 'omitted when every limit has a store and there is no guard', priority);
}

function checkParty(fairBy: unknown): string {
  if (typeof fairBy === 'string') return fairBy;
  throw invalid('fairBy', 'a function that returns a string', fairBy);
}
