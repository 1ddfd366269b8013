import { checkInner, type Line, type Order, type Site } from '../line.ts';
import { type Priority, priorities, rank } from '../priority.ts';
import { createLine } from '../safe-line.ts';
import type { Waiter } from '../waiter.ts';
import { fifo } from './fifo.ts';
import { Lanes, mostInARow, oldestOf } from './lanes.ts';

/**
 * Higher priorities first, each class in the given order. In a full queue, a new request of a higher class displaces
 * the youngest waiter of the lowest (rejected as `full`). A queued waiter does not starve: while lower classes have
 * waiters, one of ten grants goes to the oldest of those. But a flood of higher classes that fills the queue
 * displaces lower ones before that: a lower class that must be served needs a part of the limit (`byShare()`) or a
 * limit of its own. At a gate of several limits, a request that holds a permit which a higher class is queued for
 * inherits that priority.
 *
 * @param order The order within a class. Default: `fifo()`.
 * @throws HeadgateError for a value that is not an order, or for `byShare()`.
 */
export function byPriority(order: Order = fifo()): Order {
  checkInner(order);
  return { create: (site) => new PriorityLine(order, site), ranks: true };
}

class PriorityLine extends Lanes {
  /** One subqueue per priority. */
  protected readonly lanes: readonly Line[];
  /** Consecutive grants while a waiter of a lower class was queued. */
  #inARow = 0;

  constructor(order: Order, site: Site) {
    super();
    this.lanes = priorities.map(() => createLine(order, site));
  }

  /** The youngest waiter of the lowest class, which is displaced first. */
  get youngest(): Waiter | undefined {
    return this.#lowest?.youngest;
  }

  get next(): Waiter | undefined {
    const highest = this.#highest;
    const lower = this.#inARow < mostInARow ? undefined : oldestOf(this.lanes.slice(highest + 1));
    return lower === undefined ? this.lanes[highest]?.next : this.laneOf(lower).next;
  }

  /** Only a waiter of a higher class may overtake, or one that the chosen waiter's own subqueue allows. */
  besides(chosen: Waiter, room: number): Waiter | undefined {
    const higher = this.lanes.slice(0, rank(chosen.priority));
    const lane = higher.find(({ next }) => next !== undefined && next.weight <= room);
    return lane?.next ?? this.laneOf(chosen).besides?.(chosen, room);
  }

  override get stale(): Waiter | undefined {
    return this.lanes.findLast(({ stale }) => stale !== undefined)?.stale;
  }

  override get highest(): Priority | undefined {
    return priorities[this.#highest];
  }

  spare(newcomer: Waiter): Waiter | undefined {
    const lowest = this.#lowest;
    const own = this.laneOf(newcomer);
    if (lowest === undefined || lowest === own) return lowest?.spare(newcomer);
    const isHigher = this.lanes.indexOf(own) < this.lanes.indexOf(lowest);
    return isHigher ? lowest.youngest : undefined;
  }

  override remove(waiter: Waiter, isGranted: boolean): void {
    super.remove(waiter, isGranted);
    if (!isGranted) return;
    // A waiter granted ahead of a higher class has used the lower classes' turn.
    const lane = this.laneOf(waiter);
    const highest = this.#highest;
    const isPassed = highest >= 0 && highest < this.lanes.indexOf(lane);
    this.#inARow = !isPassed && this.length > lane.length ? this.#inARow + 1 : 0;
  }

  protected laneOf({ priority }: Waiter): Line {
    return this.lanes[rank(priority)] as Line;
  }

  /** The rank of the highest class with waiters; below 0 if there are none. */
  get #highest(): number {
    return this.lanes.findIndex(({ length }) => length > 0);
  }

  get #lowest(): Line | undefined {
    return this.lanes.findLast(({ length }) => length > 0);
  }
}
