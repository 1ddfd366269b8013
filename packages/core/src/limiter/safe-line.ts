import { attempt } from '../errors.ts';
import { BuiltInLine, type Line, type Order, type Site } from './line.ts';
import type { Priority } from './priority.ts';
import type { Waiter } from './waiter.ts';

/** A queue in this order. One of the application's own can neither lose a waiter nor keep its permit by failing. */
export function createLine(order: Order, site: Site): Line {
  const line = order.create(site);
  return line instanceof BuiltInLine ? line : new SafeLine(line);
}

/**
 * Knows which waiters there are, whatever an application's line makes of them: that is asked who is next, and where it
 * throws or names a waiter that is not there, the longest waiting one is. Its errors surface as uncaught exceptions.
 */
class SafeLine implements Line {
  readonly #waiters = new Set<Waiter>();
  /** Waiters whose `insert` threw: the line is asked nothing about them. */
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
    // The line names it, so it had taken the waiter before its `insert` threw.
    this.#refused.delete(waiter);
    return waiter;
  }

  get #first(): Waiter | undefined {
    const [first] = this.#waiters;
    return first;
  }
}
