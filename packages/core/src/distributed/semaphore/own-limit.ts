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

  /** Adopts the limit that applies at the store, unless the answer is older than what is known. */
  learn({ limit, version }: LimitState): void {
    // Until the store has confirmed this process's declaration, an answer with another limit is older.
    const isOlder =
      this.version === '' ? limit !== this.limit : Number(version) < Number(this.version);
    if (isOlder || (version === this.version && limit > this.limit)) return;
    this.limit = limit;
    this.version = version;
  }
}
