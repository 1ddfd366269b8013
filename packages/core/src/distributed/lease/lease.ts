import type { StoreError } from '../../semaphore/rejection.ts';
import type { LeaseRequest, LeaseVerb, LimitRef, LimitState, Reply } from '../contract.ts';

/** Fraction of a lease after which it is renewed: a call takes at most a third of a lease, so a second try is in time. */
export const renewalPart = 1 / 3;

/** Fraction of a lease after which an unanswered renewal is retried: before the first one times out. */
export const retryPart = 1 / 6;

/**
 * Fraction of a lease within which due renewals are sent early, to share a round trip. Small, since each renewal then
 * comes earlier by up to that much. Also the interval between two tries of a release, and the margin before the end of a
 * wait.
 */
export const slackPart = 1 / 24;

/** The part of each request about a lease that is the same for all leases of a limiter. */
export type LeaseTerms = Pick<LeaseRequest, 'queueLimit' | 'extraTokens' | 'reserves'>;

/** Receives what the store decides about the leases that it has created: a semaphore. */
export interface LeasingSemaphore {
  readonly ref: LimitRef;
  readonly refOfRelease: LimitRef;
  readonly terms: LeaseTerms;
  /**
   * The state of the limit, from an answer to this operation with this reference. Comes before what the answer says of the
   * lease.
   */
  learn(state: LimitState, verb: LeaseVerb, ref: LimitRef): void;
  /** The lease is queued at the store. Returns false if the owner has released it instead. */
  queued(lease: Lease): boolean;
  /** The lease is held now. `answer`: to its first request, if it was granted by that. */
  granted(lease: Lease, answer?: Reply): void;
  /** The store's queue is full. */
  rejected(lease: Lease): void;
  /** The store has granted the lease's weight to another process, or may have. */
  lost(lease: Lease): void;
  /** The store had dropped the lease before it was released. */
  dropped(lease: Lease): void;
  /** Whether the operation was executed is unknown. */
  failed(lease: Lease, verb: LeaseVerb, error: StoreError): void;
}

/** This process's record of a lease of a distributed limit. Only its methods change its state. */
export abstract class Lease {
  /** `unsent`: not requested yet. `requested`: not answered yet. `ended`: released, lost, or rejected. */
  private current: 'unsent' | 'requested' | 'queued' | 'held' | 'ended' = 'unsent';
  private place: string | undefined = undefined;
  private resized = false;
  fencing: bigint | undefined = undefined;
  /** Whether it may have expired in the store since it was first requested: messages about it may then be old. */
  hasLapsed = false;
  /** When the latest answered request for the lease was sent; before an answer, when it was first requested. */
  confirmedAt = 0;
  /** Number of requests about the lease so far, without its release. */
  requests = 0;
  /** The session's count of possibly missed messages when the latest request was sent. */
  missed = 0;
  /** When the store removes the lease from its queue, according to the latest request. */
  waitsUntil = Infinity;
  /** When the lease is due for renewal. */
  renewAt = Infinity;

  constructor(
    readonly semaphore: LeasingSemaphore,
    readonly id: string,
    public weight: number,
  ) {}

  /** Milliseconds for which the lease may still be queued; 0: it must not be. */
  abstract get timeLeft(): number;

  get state() {
    return this.current;
  }

  /** The next request about this lease, which is about to be sent. */
  nextRequest(now: number, missed: number): LeaseRequest {
    if (this.current === 'unsent') {
      this.current = 'requested';
      this.confirmedAt = now;
    }
    this.missed = missed;
    this.requests++;
    return this.presentRequest(now, this.semaphore.ref);
  }

  /** The request about this lease in its present state. */
  presentRequest(now: number, ref: LimitRef): LeaseRequest {
    const { id, weight, resized, place, fencing } = this;
    const { queueLimit, extraTokens, reserves } = this.semaphore.terms;
    const { timeLeft: wait } = this;
    this.waitsUntil = now + wait;
    return { ref, id, weight, resized, wait, queueLimit, place, fencing, extraTokens, reserves };
  }

  queue(place: string | undefined): void {
    this.current = 'queued';
    this.place = place;
  }

  hold(fencing: bigint | undefined): void {
    this.current = 'held';
    this.fencing = fencing;
  }

  /** The store has confirmed the lease, as requested at `sent`. */
  confirmed(sent: number, renewAt: number): void {
    this.confirmedAt = sent;
    this.renewAt = renewAt;
  }

  renewBy(at: number): void {
    this.renewAt = at;
  }

  resize(weight: number): void {
    this.weight = weight;
    this.resized = true;
  }

  end(): void {
    this.current = 'ended';
  }
}
