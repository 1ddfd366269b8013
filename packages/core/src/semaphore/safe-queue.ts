import { attempt } from '../errors.ts';
import type { Priority } from './priority.ts';
import {
  BuiltInQueue,
  type Order,
  type Queue,
  type QueueContext,
  type QueueStats,
} from './queue.ts';
import type { Waiter } from './waiter.ts';

/**
 * Creates a queue in this order. An application's own queue is wrapped: its errors can lose no waiter and no permit.
 */
export function createQueue(order: Order, context: QueueContext): Queue {
  const queue = order.create(context);
  return queue instanceof BuiltInQueue ? queue : new SafeQueue(queue);
}

/**
 * Wraps an application's queue and tracks its waiters independently. If that queue throws, or returns a waiter that
 * is not queued, the oldest waiter is used instead. Its errors surface as uncaught exceptions.
 */
class SafeQueue implements Queue {
  readonly #waiters = new Set<Waiter>();
  /** Waiters whose `insert` threw: the application's queue is not called for them. */
  readonly #refused = new Set<Waiter>();
  weight = 0;

  constructor(private readonly queue: Queue) {}

  get length(): number {
    return this.#waiters.size;
  }

  get oldest(): Waiter | undefined {
    return this.#known(() => this.queue.oldest) ?? this.#first;
  }

  get youngest(): Waiter | undefined {
    return this.#known(() => this.queue.youngest) ?? this.#first;
  }

  get next(): Waiter | undefined {
    return this.#known(() => this.queue.next) ?? this.#first;
  }

  get stale(): Waiter | undefined {
    return this.#known(() => this.queue.stale);
  }

  get isOpen(): boolean | undefined {
    return attempt(() => this.queue.isOpen);
  }

  get maxLength(): number | undefined {
    return attempt(() => this.queue.maxLength);
  }

  get highest(): Priority | undefined {
    return attempt(() => this.queue.highest);
  }

  stats(): QueueStats {
    return attempt(() => this.queue.stats?.()) ?? {};
  }

  bypass(chosen: Waiter, room: number): Waiter | undefined {
    if (this.#refused.has(chosen)) return undefined;
    const lighter = this.#known(() => this.queue.bypass?.(chosen, room));
    return lighter !== undefined && lighter.weight <= room ? lighter : undefined;
  }

  displacedBy(newcomer: Waiter): Waiter | undefined {
    return this.#known(() => this.queue.displacedBy(newcomer));
  }

  mayBeNext(waiter: Waiter): boolean {
    if (this.#refused.has(waiter)) return true;
    return attempt(() => this.queue.mayBeNext(waiter)) ?? true;
  }

  insert(waiter: Waiter): void {
    this.#waiters.add(waiter);
    this.weight += waiter.weight;
    this.#refused.add(waiter);
    attempt(() => {
      this.queue.insert(waiter);
      this.#refused.delete(waiter);
    });
  }

  remove(waiter: Waiter, isGranted: boolean): void {
    this.#waiters.delete(waiter);
    this.weight -= waiter.weight;
    if (this.#refused.delete(waiter)) return;
    attempt(() => this.queue.remove(waiter, isGranted));
  }

  changeInflight(share: string | undefined, change: number, permits: number): void {
    attempt(() => this.queue.changeInflight?.(share, change, permits));
  }

  #known(named: () => Waiter | undefined): Waiter | undefined {
    const waiter = attempt(named);
    if (waiter === undefined || !this.#waiters.has(waiter)) return undefined;
    // The queue returned this waiter, so its `insert` had added it before it threw.
    this.#refused.delete(waiter);
    return waiter;
  }

  get #first(): Waiter | undefined {
    const [first] = this.#waiters;
    return first;
  }
}
