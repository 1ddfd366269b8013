import { checkInner, type Line, type Order, type Site } from '../line.ts';
import { type Priority, priorities, rank } from '../priority.ts';
import { createLine } from '../safe-line.ts';
import type { Waiter } from '../waiter.ts';
import { fifo } from './fifo.ts';
import { Lanes, mostInARow, oldestOf } from './lanes.ts';

/**
 * Higher classes first, each in the order given. In a full queue a newcomer of a higher class displaces the youngest waiter
 * of the lowest, which is rejected as `full`. A waiter that is in the queue does not starve: of ten grants while lower classes
 * wait, one is the oldest waiter of those. But a flood of higher classes that fills the queue displaces the lower ones before
 * that: a lower class that must get through needs a part of the limit (`byShare()`) or a limit of its own. At a gate of several limits, who holds a place that a higher class waits for is of that class from then on.
 *
 * @param order Within a class. Default: `fifo()`.
 * @throws HeadgateError for an order that is none, or `byShare()`.
 */
export function byPriority(order: Order = fifo()): Order {
  checkInner(order);
  return { create: (site) => new PriorityLine(order, site), ranks: true };
}

class PriorityLine extends Lanes {
  /** One for each class. */
  protected readonly lanes: readonly Line[];
  /** How many have been let in, one after the other, while somebody of a lower class waited. */
  #inARow = 0;

  constructor(order: Order, site: Site) {
    super();
    this.lanes = priorities.map(() => createLine(order, site));
  }

  /** Of the lowest class: the first that may have to go. */
  get youngest(): Waiter | undefined {
    return this.#lowest?.youngest;
  }

  get next(): Waiter | undefined {
    const highest = this.#highest;
    const lower = this.#inARow < mostInARow ? undefined : oldestOf(this.lanes.slice(highest + 1));
    return lower === undefined ? this.lanes[highest]?.next : this.laneOf(lower).next;
  }

  /** Of a higher class only. */
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
    // Whoever was let in before somebody higher has had the turn of the lower ones.
    const lane = this.laneOf(waiter);
    const highest = this.#highest;
    const isPassed = highest >= 0 && highest < this.lanes.indexOf(lane);
    this.#inARow = !isPassed && this.length > lane.length ? this.#inARow + 1 : 0;
  }

  protected laneOf({ priority }: Waiter): Line {
    return this.lanes[rank(priority)] as Line;
  }

  /** The rank of the highest class in which somebody waits; below 0 where nobody does. */
  get #highest(): number {
    return this.lanes.findIndex(({ length }) => length > 0);
  }

  get #lowest(): Line | undefined {
    return this.lanes.findLast(({ length }) => length > 0);
  }
}
