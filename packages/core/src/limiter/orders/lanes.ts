import { BuiltInLine, type Line } from '../line.ts';
import { isHigher, type Priority } from '../priority.ts';
import type { Waiter } from '../waiter.ts';

/** Maximum number of consecutive grants to higher classes before a lower one gets a turn. */
export const mostInARow = 9;

/** A queue of several subqueues, each with its own order. */
export abstract class Lanes extends BuiltInLine implements Line {
  length = 0;
  weight = 0;

  /** The subqueues that may have waiters. */
  protected abstract readonly lanes: Iterable<Line>;
  abstract readonly youngest: Waiter | undefined;
  abstract readonly next: Waiter | undefined;
  abstract spare(newcomer: Waiter): Waiter | undefined;
  /** The subqueue in which the waiter is queued or would be enqueued. */
  protected abstract laneOf(waiter: Waiter): Line;

  get oldest(): Waiter | undefined {
    return oldestOf(this.lanes);
  }

  get stale(): Waiter | undefined {
    for (const { stale } of this.lanes) if (stale !== undefined) return stale;
    return undefined;
  }

  get highest(): Priority | undefined {
    let highest: Priority | undefined;
    for (const { highest: own } of this.lanes) if (isHigher(own, highest)) highest = own;
    return highest;
  }

  /** Any waiter that joins or leaves may change which waiter is next. */
  mayBeNext(_waiter: Waiter): boolean {
    return true;
  }

  insert(waiter: Waiter): void {
    this.laneOf(waiter).insert(waiter);
    this.length++;
    this.weight += waiter.weight;
  }

  remove(waiter: Waiter, isGranted: boolean): void {
    this.laneOf(waiter).remove(waiter, isGranted);
    this.length--;
    this.weight -= waiter.weight;
  }
}

/** The waiter that arrived first in any of the subqueues. */
export function oldestOf(lanes: Iterable<Line>): Waiter | undefined {
  let oldest: Waiter | undefined;
  for (const { oldest: own } of lanes) {
    if (own !== undefined && own.arrival < (oldest?.arrival ?? Infinity)) oldest = own;
  }
  return oldest;
}
