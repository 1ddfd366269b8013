import type { Waiter } from '../semaphore/waiter.ts';
import type { LeaseRequest } from './contract.ts';
import type { DistributedPermit } from './distributed-permit.ts';
import type { DistributedSemaphore } from './distributed-semaphore.ts';

/** This process's record of a lease of a distributed limit: requested, queued or held. */
export class Lease {
  /** `unsent`: not requested yet. `asking`: not answered yet. `over`: released, lost, or rejected. */
  state: 'unsent' | 'asking' | 'queued' | 'held' | 'over' = 'unsent';
  /** The waiter that is to be granted the lease. */
  waiter: Waiter | undefined = undefined;
  /** The permit that uses the lease. */
  permit: DistributedPermit | undefined = undefined;
  /** Waits at the local limiter on behalf of `waiter` while the store is unavailable. */
  localWaiter: Waiter | undefined = undefined;
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
    readonly semaphore: DistributedSemaphore,
    readonly id: string,
    public weight: number,
  ) {}

  /** The request about this lease in its present state. */
  request(): LeaseRequest {
    const { semaphore, id, weight, resized, place, fencing } = this;
    const { queueLimit, spare, reserves } = semaphore.parent;
    const wait = this.waiter === undefined ? 0 : semaphore.parent.timeLeft(this.waiter);
    this.waitsUntil = semaphore.parent.session.store.clock.now() + wait;
    return {
      ref: semaphore.limitState.ref,
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
