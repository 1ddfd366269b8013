import type { LeaseRequest } from './store.ts';

/** What a memory knows of one lease, held or waiting. */
export class MemoryLease {
  weight: number;
  /** How long it lasts without a renewal, in milliseconds. */
  term = 0;
  /** When it ends, by the memory's clock. */
  expires = 0;
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
    this.term = term;
    this.spare = spare;
    this.reserves = reserves;
    this.expires = now + (this.isHeld ? term : Math.min(term, wait));
  }
}
