import { type LimitRef, SET_NOW } from '../contract.ts';

type VersionedLimit = Pick<LimitRef, 'limit' | 'version'>;

/** The limit of one key, which requests of any process declare. The latest declaration applies. */
export class OwnLimit {
  constructor(
    public limit: number,
    /**
     * When the limit was declared, by the store's clock. `SET_NOW` until the store has confirmed this process's limit.
     */
    public version = SET_NOW,
  ) {}

  declare(limit: number): void {
    if (limit === this.limit) return;
    this.limit = limit;
    this.version = SET_NOW;
  }

  /**
   * Adopts the limit that applies at the store, unless the answer is older than what is known.
   *
   * @param isConfirmed Whether the answered request carried the present declaration.
   */
  learn(answer: VersionedLimit, isConfirmed: boolean): void {
    const applies = this.version === SET_NOW ? isConfirmed : replaces(answer, this);
    if (!applies) return;
    this.limit = answer.limit;
    this.version = answer.version;
  }
}

/** Whether a limit replaces another one: the later version wins; of equal versions, the lower limit. */
export function replaces(limit: VersionedLimit, other: VersionedLimit): boolean {
  if (limit.version === other.version) return limit.limit < other.limit;
  return Number(limit.version) > Number(other.version);
}
