import { BasePermit, type Outcome, type Register } from './permit.ts';
import type { Pool } from './pool.ts';
import { isHigher } from './priority.ts';
import type { Waiter } from './waiter.ts';

/** A place under a limit in this process. */
export class LocalPermit extends BasePermit {
  constructor(
    private readonly pool: Pool,
    weight: number,
    waited: number,
  ) {
    super(weight, waited);
  }

  get key(): string | undefined {
    return this.pool.key;
  }

  protected get register(): Register {
    return this.pool.home.ledger;
  }

  /** Its request, while that waits at a later limit. */
  get waiter(): Waiter | undefined {
    return this.extra?.waiter;
  }

  /** Of the limit, where that is divided. */
  get share(): string | undefined {
    return this.extra?.share;
  }

  set share(share: string) {
    this.extras().share = share;
  }

  override pause(waiter: Waiter): void {
    // `maxHold` may have taken it back on the way.
    if (this.released) return;
    const { heirs, home, line } = this.pool;
    const highest = heirs && line.highest;
    // A higher class may wait here already.
    if (highest !== undefined && isHigher(highest, waiter.priority)) waiter.priority = highest;
    const isNeeded = heirs !== undefined || home.movement !== undefined;
    if (this.waiter !== undefined || !isNeeded) return;
    this.extras().waiter = waiter;
    heirs?.add(this);
    home.movement?.pause(this);
  }

  override resume(): void {
    if (this.waiter === undefined) return;
    this.#stopWaiting();
    this.pool.home.movement?.resume(this);
  }

  takesOf(limit: string): boolean {
    return this.pool.home.settings.name === limit;
  }

  protected reweigh(weight: number): void {
    const change = weight - this.weight;
    this.weight = weight;
    this.pool.reweigh(this, change);
  }

  protected giveBack(outcome: Outcome): void {
    this.pool.home.movement?.over(this, outcome);
    if (this.waiter !== undefined) this.#stopWaiting();
    this.pool.free(this);
  }

  #stopWaiting(): void {
    this.extras().waiter = undefined;
    this.pool.heirs?.delete(this);
  }
}
