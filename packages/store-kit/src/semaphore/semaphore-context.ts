import type { StoreError } from '@headgate/core';
import type { CircuitBreaker } from '../availability/circuit-breaker.ts';
import type { Session } from '../lease/session.ts';
import type { AssignedLease } from './assigned-lease.ts';
import type { DistributedPermit } from './distributed-permit.ts';
import type { DistributedSemaphoreGroup } from './distributed-semaphore-group.ts';

/** What the semaphores of a limiter need from it. */
export interface SemaphoreContext<Semaphore> {
  readonly group: DistributedSemaphoreGroup;
  readonly session: Session;
  readonly breaker: CircuitBreaker;
  readonly fallback: OutageHandler<Semaphore>;
}

/** Decides what happens to waiters and permits while the store is unavailable. */
export interface OutageHandler<Semaphore> {
  /** Takes over a waiter whose lease the store did not grant. */
  takeOver(semaphore: Semaphore, lease: AssignedLease, error?: StoreError): void;
  /** Admits the lease's waiter without the store. */
  admit(semaphore: Semaphore, lease: AssignedLease): void;
  /** Called when the semaphore has been paused, or its pause has ended. */
  pauseChanged(semaphore: Semaphore): void;
  /** Counts a permit that has a lease against the local limit too, if there is one. */
  count(permit: DistributedPermit): void;
}
