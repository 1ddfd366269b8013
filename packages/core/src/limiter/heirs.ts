import type { LocalPermit } from './local-permit.ts';
import type { Pool } from './pool.ts';
import { isHigher, type Priority } from './priority.ts';

/**
 * Requests that hold a place here while they wait at a later limit of their gate. Whoever waits here waits for them, too: they
 * inherit the highest class of those, or one of a low class could keep all others from a narrow limit.
 */
export class Heirs {
  readonly #permits = new Set<LocalPermit>();

  add(permit: LocalPermit): void {
    this.#permits.add(permit);
  }

  delete(permit: LocalPermit): void {
    this.#permits.delete(permit);
  }

  /** Somebody of this class has begun to wait here. */
  raise(priority: Priority): void {
    // A copy: who is raised may be let in.
    for (const { waiter } of [...this.#permits]) {
      if (waiter === undefined || !isHigher(priority, waiter.priority)) continue;
      (waiter.place as Pool | undefined)?.raise(waiter, priority);
    }
  }
}
