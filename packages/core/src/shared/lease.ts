import type { Waiter } from '../limiter/waiter.ts';
import type { SharedPermit } from './shared-permit.ts';
import type { SharedPool } from './shared-pool.ts';
import type { LeaseRequest } from './store.ts';

/** This process's record of a lease of a distributed limit: requested, queued or held. */
export class Lease {
  /** `unsent`: not requested yet. `asking`: not answered yet. `over`: released, lost, or rejected. */
  state: 'unsent' | 'asking' | 'queued' | 'held' | 'over' = 'unsent';
  /** The waiter that is to be granted the lease. */
  waiter: Waiter | undefined = undefined;
  /** The permit that uses the lease. */
  permit: SharedPermit | undefined = undefined;
  /** Waits at the local limiter on behalf of `waiter` while the store is unavailable. */
  standIn: Waiter | undefined = undefined;
  /** Whether the waiter is counted and reported as queued. */
  isCounted = false;
  place: string | undefined = undefined;
  fencing: bigint | undefined = undefined;
  /** Whether the weight has been changed. */
  resized = false;
  /** Number of permits that have used the lease. */
  uses = 0;
  /** When the store granted the lease, or when it last became idle. */
  since = 0;
  /** When the latest answered request for the lease was sent; before an answer, when it was first requested. */
  heard = 0;
  /** The session's count of possibly missed messages when the latest request was sent. */
  missed = 0;
  /** When the store removes the lease from its queue, according to the latest request. */
  waitsUntil = Infinity;
  /** When the lease is due for renewal. */
  renewAt = Infinity;

  constructor(
    readonly pool: SharedPool,
    readonly id: string,
    public weight: number,
  ) {}

  /** The request about this lease in its present state. */
  request(): LeaseRequest {
    const { pool, id, weight, resized, place, fencing } = this;
    const { queueLimit, spare, reserves } = pool.home;
    const wait = this.waiter === undefined ? 0 : pool.home.timeLeft(this.waiter);
    this.waitsUntil = pool.home.session.store.clock.now() + wait;
    return {
      ref: pool.view.ref,
      id,
      weight,
      resized,
      wait,
      queueLimit,
      place,
      fencing,
      spare,
      reserves,
    };
  }
}
