import { BuiltInLine, type Line, type Order } from '../line.ts';
import type { Waiter } from '../waiter.ts';

/** First come, first served: what a line does that is told nothing else. */
export function fifo(): Order {
  return { create: () => new FifoLine() };
}

/**
 * In order of arrival at the gate, linked through the waiters themselves: joining at the end and leaving from anywhere
 * are O(1). Only who comes from an earlier limit of its gate is inserted further ahead, since by arrival at each limit
 * alone narrow permits would be held by the last in line.
 */
export class FifoLine extends BuiltInLine implements Line {
  oldest: Waiter | undefined = undefined;
  youngest: Waiter | undefined = undefined;
  length = 0;
  weight = 0;

  get next(): Waiter | undefined {
    return this.oldest;
  }

  get stale(): Waiter | undefined {
    return undefined;
  }

  spare(_newcomer: Waiter): Waiter | undefined {
    return undefined;
  }

  mayBeNext(waiter: Waiter): boolean {
    return this.oldest === waiter;
  }

  insert(waiter: Waiter): void {
    let ahead = this.youngest;
    while (ahead !== undefined && ahead.arrival > waiter.arrival) ahead = ahead.ahead;
    const behind = ahead === undefined ? this.oldest : ahead.behind;
    this.link(ahead, waiter);
    this.link(waiter, behind);
    this.length++;
    this.weight += waiter.weight;
  }

  remove(waiter: Waiter): void {
    this.link(waiter.ahead, waiter.behind);
    waiter.ahead = undefined;
    waiter.behind = undefined;
    this.length--;
    this.weight -= waiter.weight;
  }

  private link(ahead: Waiter | undefined, behind: Waiter | undefined): void {
    if (ahead === undefined) this.oldest = behind;
    else ahead.behind = behind;
    if (behind === undefined) this.youngest = ahead;
    else behind.ahead = ahead;
  }
}
