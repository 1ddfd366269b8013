import type { LeaseRequest } from './store.ts';

/** What a memory knows of one lease, held or waiting. */
export class MemoryLease {
  weight: number;
  /** When it ends, by the memory's clock; of one that waits, when it is no longer let in. */
  expires = 0;
  /** A lease after it was last heard of. */
  ends = 0;
  /** In the line; sorts by arrival. */
  place = 0;
  /** Where it is held. */
  fencing: bigint | undefined = undefined;
  spare = 0;
  reserves = false;

  constructor(
    readonly id: string,
    weight: number,
  ) {
    this.weight = weight;
  }

  /** The process that it is of. */
  get owner(): string {
    return this.id.slice(0, this.id.indexOf('.'));
  }

  get isHeld(): boolean {
    return this.fencing !== undefined;
  }

  /** It is asked for again: lasts from now on, but waits no longer than it may. */
  refresh({ wait, spare, reserves }: LeaseRequest, term: number, now: number): void {
    this.spare = spare;
    this.reserves = reserves;
    this.ends = now + term;
    this.expires = this.isHeld ? this.ends : now + Math.min(term, wait);
  }
}
