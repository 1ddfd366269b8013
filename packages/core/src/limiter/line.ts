import type { Clock } from '../clock.ts';
import type { Order } from './orders/order.ts';
import type { Waiter } from './waiter.ts';

let arrivals = 0;

/** The next number in the order of arrival, which is one order for all lines of the process. */
export function nextArrival(): number {
  return ++arrivals;
}

/**
 * Those who wait, the oldest at the head, in order of arrival at the gate, linked through the waiters themselves: joining at the tail
 * and leaving from anywhere are O(1). Only who comes from an earlier limit of its gate is inserted further
 * ahead, since by arrival at each limit alone narrow permits would be held by the last in line.
 */
export class Line {
  head: Waiter | undefined = undefined;
  length = 0;
  /** The weight of all who wait. */
  weight = 0;
  tail: Waiter | undefined = undefined;
  /** Since when it has not been empty, in whole milliseconds. */
  busySince = 0;

  constructor(
    /** First come, first served where undefined, and then no clock is read. */
    readonly order: Order | undefined,
    private readonly clock: Clock,
  ) {}

  /** Who is let in next. */
  get next(): Waiter | undefined {
    return this.order === undefined ? this.head : this.order.next(this, this.clock.now());
  }

  /** Who makes room for a newcomer, where it is full. */
  get spare(): Waiter | undefined {
    return this.order?.spare(this, this.clock.now());
  }

  /** Who is to be shed. */
  get stale(): Waiter | undefined {
    return this.order?.stale(this, this.clock.now());
  }

  /** Whether the line may go on where somebody comes or leaves: it is not known whose turn it is before it is asked. */
  isTurnOf(waiter: Waiter): boolean {
    return this.order !== undefined || this.head === waiter;
  }

  insert(waiter: Waiter): void {
    if (this.head === undefined) this.busySince = waiter.since;
    let ahead = this.tail;
    while (ahead !== undefined && ahead.arrival > waiter.arrival) ahead = ahead.ahead;
    const behind = ahead === undefined ? this.head : ahead.behind;
    this.#link(ahead, waiter);
    this.#link(waiter, behind);
    this.length++;
    this.weight += waiter.weight;
  }

  remove(waiter: Waiter): void {
    this.#link(waiter.ahead, waiter.behind);
    waiter.ahead = undefined;
    waiter.behind = undefined;
    this.length--;
    this.weight -= waiter.weight;
  }

  #link(ahead: Waiter | undefined, behind: Waiter | undefined): void {
    if (ahead === undefined) this.head = behind;
    else ahead.behind = behind;
    if (behind === undefined) this.tail = ahead;
    else behind.ahead = ahead;
  }
}
