import { type LimitRef, SET_NOW } from '../contract.ts';

type VersionedLimit = Pick<LimitRef, 'limit' | 'version'>;

/** The limit that the requests of one key declare, in any process: the latest declaration applies. */
export class OwnLimit {
  constructor(
    public limit: number,
    /** The store's time of the limit that applies; `SET_NOW` until the store has confirmed that of this process. */
    public version = SET_NOW,
  ) {}

  declare(limit: number): void {
    if (limit === this.limit) return;
    this.limit = limit;
    this.version = SET_NOW;
  }

  /**
   * Adopts the limit that applies at the store, unless the answer is older than what is known. `isConfirmed`: whether it
   * answers a request with the present declaration.
   */
  learn(answer: VersionedLimit, isConfirmed: boolean): void {
    const applies = this.version === SET_NOW ? isConfirmed : replaces(answer, this);
    if (!applies) return;
    this.limit = answer.limit;
    this.version = answer.version;
  }
}

/** Whether one limit applies instead of another: the later one does, or the lower one of the same version. */
export function replaces(limit: VersionedLimit, other: VersionedLimit): boolean {
  if (limit.version === other.version) return limit.limit < other.limit;
  return Number(limit.version) > Number(other.version);
}
