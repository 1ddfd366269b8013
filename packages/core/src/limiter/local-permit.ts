import { BasePermit, type Outcome, type Register } from './permit.ts';
import type { Pool } from './pool.ts';

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

  get paused(): boolean {
    return this.extra?.paused === true;
  }

  set paused(paused: boolean) {
    this.extras().paused = paused;
  }

  override pause(): void {
    this.pool.home.movement?.pause(this);
  }

  override resume(): void {
    this.pool.home.movement?.resume(this);
  }

  takesOf(limit: string): boolean {
    return this.pool.home.settings.name === limit;
  }

  protected reweigh(weight: number): void {
    const change = weight - this.weight;
    this.weight = weight;
    this.pool.reweigh(change);
  }

  protected giveBack(outcome: Outcome): void {
    this.pool.home.movement?.over(this, outcome);
    this.pool.free(this.weight);
  }
}
