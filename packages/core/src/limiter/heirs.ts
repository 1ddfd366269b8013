import type { LocalPermit } from './local-permit.ts';
import type { Pool } from './pool.ts';
import { isHigher, type Priority } from './priority.ts';

/**
 * Priority inheritance (Sha, Rajkumar and Lehoczky, 1990): the permits of this pool whose requests wait at a later
 * limit of their gate. Whoever waits here waits for them, so they wait there with the highest class that waits here.
 * Otherwise one request of a low class could hold a narrow limit against all higher ones.
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
      const { place } = waiter;
      // It is about to join the line there.
      if (place === undefined) waiter.priority = priority;
      else if ('raise' in place) (place as Pool).raise(waiter, priority);
    }
  }
}
