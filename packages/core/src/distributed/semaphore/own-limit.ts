import type { LimitState } from '../contract.ts';

/** The limit that the requests of one key declare, in any process: the latest declaration applies. */
export class OwnLimit {
  constructor(
    public limit: number,
    /** The store's time of the declaration that applies; empty until the store has confirmed that of this process. */
    public version = '',
  ) {}

  declare(limit: number): void {
    if (limit === this.limit) return;
    this.limit = limit;
    this.version = '';
  }

  /**
   * Adopts the limit that applies at the store, unless the answer is older than what is known. `isConfirmed`: whether it
   * answers a request with the present declaration.
   */
  learn({ limit, version }: LimitState, isConfirmed: boolean): void {
    const isLater = this.version === '' ? isConfirmed : Number(version) > Number(this.version);
    const isLower = version === this.version && limit < this.limit;
    if (!isLater && !isLower) return;
    this.limit = limit;
    this.version = version;
  }
}
