import type { Held } from './held.ts';
import { BasePermit } from './permit.ts';
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

  protected get held(): Held {
    return this.pool.owner.held;
  }

  protected giveBack(): void {
    this.pool.owner.takeBack(this.pool, this.weight);
  }
}
