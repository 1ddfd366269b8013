import { checkMethods } from '../checks.ts';
import { attempt, throwLater } from '../errors.ts';
import type { AdmittedRequest } from './admitted-request.ts';
import {
  BuiltInQueue,
  type Order,
  type Queue,
  type QueueContext,
  type QueueStats,
  type Waiters,
} from './queue.ts';
import type { Waiter } from './waiter.ts';

const required = ['displacedBy', 'insert', 'mayBeNext', 'remove'] as const;

/**
 * Creates a queue in this order. Wraps an application's own queue, so that its errors lose neither waiters nor permits.
 *
 * @throws HeadgateError if the order does not return a valid queue.
 */
export function createQueue(order: Order, context: QueueContext): Queue {
  const queue = order.create(context);
  if (queue instanceof BuiltInQueue) return queue;
  return new SafeQueue(checkMethods('order.create()', queue, required));
}

/**
 * Wraps an application's queue and tracks its waiters independently. If that queue throws, or returns a waiter that is
 * not queued, the oldest waiter is used instead. Its errors surface as uncaught exceptions, except those of `stats`.
 *
 * If its `insert` or `remove` throws, the queue is no longer used, and waiters are served in order of arrival. It may
 * still contain links to a waiter that has since been queued elsewhere: walking through it would lead into the other
 * queue and never end.
 */
class SafeQueue implements Queue {
  readonly #waiters = new Set<Waiter>();
  #queue: Queue | undefined;
  weight = 0;

  constructor(queue: Queue) {
    this.#queue = queue;
  }

  get length(): number {
    return this.#waiters.size;
  }

  get oldest(): Waiter | undefined {
    return this.#known((queue) => queue.oldest) ?? this.#first;
  }

  get youngest(): Waiter | undefined {
    return this.#known((queue) => queue.youngest) ?? this.#first;
  }

  get next(): Waiter | undefined {
    return this.#known((queue) => queue.next) ?? this.#first;
  }

  get stale(): Waiter | undefined {
    return this.#known((queue) => queue.stale);
  }

  /** May throw: the caller then omits these statistics. */
  stats(): QueueStats {
    return this.#queue?.stats?.() ?? {};
  }

  displacedBy(newWaiter: Waiter): Waiter | undefined {
    return this.#known((queue) => queue.displacedBy(newWaiter));
  }

  before(newWaiter: Waiter): Waiters | undefined {
    return attempt(() => this.#queue?.before?.(newWaiter));
  }

  mayBeNext(waiter: Waiter): boolean {
    return attempt(() => this.#queue?.mayBeNext(waiter)) ?? true;
  }

  insert(waiter: Waiter): void {
    this.#waiters.add(waiter);
    this.weight += waiter.weight;
    this.#change((queue) => queue.insert(waiter));
  }

  remove(waiter: Waiter, isGranted: boolean): void {
    this.#waiters.delete(waiter);
    this.weight -= waiter.weight;
    this.#change((queue) => queue.remove(waiter, isGranted));
  }

  changeInflight(admitted: AdmittedRequest, weight: number): void {
    attempt(() => this.#queue?.changeInflight?.(admitted, weight));
  }

  charge(admitted: AdmittedRequest, weight: number): void {
    attempt(() => this.#queue?.charge?.(admitted, weight));
  }

  #change(call: (queue: Queue) => void): void {
    if (this.#queue === undefined) return;
    try {
      call(this.#queue);
    } catch (error) {
      this.#queue = undefined;
      throwLater(error);
    }
  }

  #known(named: (queue: Queue) => Waiter | undefined): Waiter | undefined {
    const waiter = attempt(() => this.#queue && named(this.#queue));
    return waiter !== undefined && this.#waiters.has(waiter) ? waiter : undefined;
  }

  get #first(): Waiter | undefined {
    const [first] = this.#waiters;
    return first;
  }
}
