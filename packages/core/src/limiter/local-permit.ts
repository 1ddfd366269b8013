import { BasePermit, type Register } from './permit.ts';
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

  protected giveBack(): void {
    this.pool.free(this.weight);
  }
}
