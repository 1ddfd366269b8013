import type { LeaseRequest } from '../contract.ts';

/** A lease in a `Memory`: held or queued. */
export class MemoryLease {
  /** The weight of the request. */
  weight: number;
  /** When the lease expires, by the memory's clock. If queued: when it is removed from the queue. */
  expires = 0;
  /** When the lease ends unless it is renewed: one lease duration after its last request. */
  ends = 0;
  /** Position in the queue; sorts by arrival. */
  place = 0;
  /** Defined if the lease is held. */
  fencing: bigint | undefined = undefined;
  /** Number of further fencing tokens that it reserves. */
  extraTokens = 0;
  /** Whether its process may keep it idle for a while. */
  reserves = false;

  constructor(
    /** Its id, which starts with the process that it belongs to. */
    readonly id: string,
    weight: number,
  ) {
    this.weight = weight;
  }

  /** The process that the lease belongs to. */
  get owner(): string {
    return this.id.slice(0, this.id.indexOf('.'));
  }

  /** Whether it is held; if not, it is queued. */
  get isHeld(): boolean {
    return this.fencing !== undefined;
  }

  /** Lets the lease end at this time at the latest. */
  clamp(latest: number): void {
    this.ends = Math.min(this.ends, latest);
    this.expires = Math.min(this.expires, latest);
  }

  /** Applies a new request: extends the lease from now on, but keeps it queued no longer than the maximum wait. */
  refresh({ wait, extraTokens, reserves }: LeaseRequest, duration: number, now: number): void {
    this.extraTokens = extraTokens;
    this.reserves = reserves;
    this.ends = now + duration;
    this.expires = this.isHeld ? this.ends : now + Math.min(duration, wait);
  }
}
