import type { Clock } from '../../clock.ts';
import { checkOrder, type Line, type Order } from '../line.ts';
import { priorities } from '../priority.ts';
import type { Waiter } from '../waiter.ts';
import { fifo } from './fifo.ts';

/** So often in a row the highest class that waits comes first. */
const patience = 9;

/**
 * Higher classes first, each in the order given. In a full line a newcomer of a higher class displaces the youngest of the
 * lowest, which is rejected as `full`. Nobody starves: of ten who are let in while lower classes wait, one is the oldest of
 * those.
 *
 * @param order Within a class. Default: `fifo()`.
 * @throws HeadgateError for an order that is none.
 */
export function byPriority(order: Order = fifo()): Order {
  const within = checkOrder(order);
  return { create: (clock) => new PriorityLine(within, clock) };
}

class PriorityLine implements Line {
  length = 0;
  weight = 0;
  readonly #classes: readonly Line[];
  /** How many have been let in, one after the other, while somebody of a lower class waited. */
  #inARow = 0;

  constructor(order: Order, clock: Clock) {
    this.#classes = priorities.map(() => order.create(clock));
  }

  get oldest(): Waiter | undefined {
    return this.#oldestFrom(0);
  }

  /** Of the lowest class: the first that may have to go. */
  get youngest(): Waiter | undefined {
    return this.#lowest?.youngest;
  }

  get next(): Waiter | undefined {
    const highest = this.#highest;
    const lower = this.#inARow < patience ? undefined : this.#oldestFrom(highest + 1);
    return lower === undefined ? this.#classes[highest]?.next : this.#classOf(lower).next;
  }

  get stale(): Waiter | undefined {
    return this.#classes.findLast(({ stale }) => stale !== undefined)?.stale;
  }

  spare(newcomer: Waiter): Waiter | undefined {
    const lowest = this.#lowest;
    const own = this.#classOf(newcomer);
    if (lowest === undefined || lowest === own) return lowest?.spare(newcomer);
    const isHigher = this.#classes.indexOf(own) < this.#classes.indexOf(lowest);
    return isHigher ? lowest.youngest : undefined;
  }

  mayBeNext(): boolean {
    return true;
  }

  insert(waiter: Waiter): void {
    this.#classOf(waiter).insert(waiter);
    this.length++;
    this.weight += waiter.weight;
  }

  remove(waiter: Waiter, isGranted: boolean): void {
    const line = this.#classOf(waiter);
    line.remove(waiter, isGranted);
    this.length--;
    this.weight -= waiter.weight;
    if (!isGranted) return;
    // Whoever was let in before somebody higher has had the turn of the lower ones.
    const highest = this.#highest;
    const isPassed = highest >= 0 && highest < this.#classes.indexOf(line);
    this.#inARow = !isPassed && this.length > line.length ? this.#inARow + 1 : 0;
  }

  /** The rank of the highest class in which somebody waits; below 0 where nobody does. */
  get #highest(): number {
    return this.#classes.findIndex(({ length }) => length > 0);
  }

  get #lowest(): Line | undefined {
    return this.#classes.findLast(({ length }) => length > 0);
  }

  /** Of the classes from this one down. */
  #oldestFrom(first: number): Waiter | undefined {
    let oldest: Waiter | undefined;
    for (let rank = first; rank < this.#classes.length; rank++) {
      const other = this.#classes[rank]?.oldest;
      if (other !== undefined && other.arrival < (oldest?.arrival ?? Infinity)) oldest = other;
    }
    return oldest;
  }

  #classOf({ priority }: Waiter): Line {
    return this.#classes[priorities.indexOf(priority)] as Line;
  }
}
