import { attempt } from '../errors.ts';
import { BuiltInLine, type Line, type Order, type Site } from './line.ts';
import type { Priority } from './priority.ts';
import type { Waiter } from './waiter.ts';

/**
 * Creates a queue in this order. An application's own queue is wrapped: its errors can lose no waiter and no permit.
 */
export function createLine(order: Order, site: Site): Line {
  const line = order.create(site);
  return line instanceof BuiltInLine ? line : new SafeLine(line);
}

/**
 * Wraps an application's queue and tracks its waiters independently. If that queue throws, or returns a waiter that
 * is not queued, the oldest waiter is used instead. Its errors surface as uncaught exceptions.
 */
class SafeLine implements Line {
  readonly #waiters = new Set<Waiter>();
  /** Waiters whose `insert` threw: the application's queue is not called for them. */
  readonly #refused = new Set<Waiter>();
  weight = 0;

  constructor(private readonly line: Line) {}

  get length(): number {
    return this.#waiters.size;
  }

  get oldest(): Waiter | undefined {
    return this.#known(() => this.line.oldest) ?? this.#first;
  }

  get youngest(): Waiter | undefined {
    return this.#known(() => this.line.youngest) ?? this.#first;
  }

  get next(): Waiter | undefined {
    return this.#known(() => this.line.next) ?? this.#first;
  }

  get stale(): Waiter | undefined {
    return this.#known(() => this.line.stale);
  }

  get highest(): Priority | undefined {
    return attempt(() => this.line.highest);
  }

  besides(chosen: Waiter, room: number): Waiter | undefined {
    if (this.#refused.has(chosen)) return undefined;
    const lighter = this.#known(() => this.line.besides?.(chosen, room));
    return lighter !== undefined && lighter.weight <= room ? lighter : undefined;
  }

  spare(newcomer: Waiter): Waiter | undefined {
    return this.#known(() => this.line.spare(newcomer));
  }

  mayBeNext(waiter: Waiter): boolean {
    if (this.#refused.has(waiter)) return true;
    return attempt(() => this.line.mayBeNext(waiter)) ?? true;
  }

  insert(waiter: Waiter): void {
    this.#waiters.add(waiter);
    this.weight += waiter.weight;
    this.#refused.add(waiter);
    attempt(() => {
      this.line.insert(waiter);
      this.#refused.delete(waiter);
    });
  }

  remove(waiter: Waiter, isGranted: boolean): void {
    this.#waiters.delete(waiter);
    this.weight -= waiter.weight;
    if (this.#refused.delete(waiter)) return;
    attempt(() => this.line.remove(waiter, isGranted));
  }

  hold(share: string | undefined, weight: number): void {
    attempt(() => this.line.hold?.(share, weight));
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
