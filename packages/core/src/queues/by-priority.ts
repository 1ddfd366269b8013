import type { AdmittedRequest } from '../semaphore/admitted-request.ts';
import { priorities, rank } from '../semaphore/priority.ts';
import {
  checkInner,
  Order,
  type Queue,
  type QueueContext,
  type QueueStats,
} from '../semaphore/queue.ts';
import type { Waiter } from '../semaphore/waiter.ts';
import { fifo } from './fifo.ts';
import { MAX_IN_A_ROW, oldestOf, Subqueues } from './subqueues.ts';

/**
 * Serves higher priorities first, each in the given order. In a full queue, a new request of a higher priority
 * displaces the youngest waiter of the lowest one (rejected as `full`). Queued waiters do not starve: while lower
 * priorities have waiters, one of ten grants goes to the oldest of these. But if requests of higher priorities fill the
 * queue, they displace lower ones before their turn: a priority that must always be served needs a part of the limit
 * (`byShare()`) or a limit of its own.
 *
 * @param order The order within a priority. Default: `fifo()`.
 * @throws HeadgateError for a value that is not an order, or for `byShare()`.
 */
export function byPriority(order: Order = fifo()): Order {
  checkInner(order);
  const ignores = order.ignores.filter((option) => option !== 'priority');
  return new Order((context) => new PriorityQueue(order, context), ignores);
}

class PriorityQueue extends Subqueues {
  /** One subqueue per priority. */
  protected readonly subqueues: readonly Queue[];
  /** Consecutive grants while a waiter of a lower class was queued. */
  #inARow = 0;

  constructor(order: Order, context: QueueContext) {
    super();
    this.subqueues = priorities.map(() => order.create(context));
  }

  get next(): Waiter | undefined {
    const highest = this.#highest;
    const lower =
      this.#inARow < MAX_IN_A_ROW ? undefined : oldestOf(this.subqueues.slice(highest + 1));
    return lower === undefined ? this.subqueues[highest]?.next : this.subqueueOf(lower).next;
  }

  override stats(): QueueStats {
    const counts = priorities.map((name, index) => [name, this.subqueues[index]?.length]);
    return { priorities: Object.fromEntries(counts) };
  }

  override remove(waiter: Waiter, isGranted: boolean): void {
    super.remove(waiter, isGranted);
    if (!isGranted) return;
    // If the waiter is granted ahead of a higher class, it has used the lower classes' turn.
    const subqueue = this.subqueueOf(waiter);
    const highest = this.#highest;
    const isPassed = highest >= 0 && highest < this.subqueues.indexOf(subqueue);
    this.#inARow = !isPassed && this.length > subqueue.length ? this.#inARow + 1 : 0;
  }

  protected subqueueOf({ priority }: AdmittedRequest): Queue {
    return this.subqueues[rank(priority)] as Queue;
  }

  /** The rank of the highest class with waiters; below 0 if there are none. */
  get #highest(): number {
    return this.subqueues.findIndex(({ length }) => length > 0);
  }

  /** The lowest class. */
  protected get displaceFrom(): Queue | undefined {
    return this.subqueues.findLast(({ length }) => length > 0);
  }

  protected displaces(_newWaiter: Waiter, own: Queue, lowest: Queue): boolean {
    return this.subqueues.indexOf(own) < this.subqueues.indexOf(lowest);
  }
}
