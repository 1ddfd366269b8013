import type { StoreError } from '@headgate/core';
import type { LeaseRequest, LeaseVerb, LimitRef, LimitState, Reply } from '../contract.ts';

/**
 * Fraction of a lease after which it is renewed. A call takes at most a third of a lease, which leaves time for a
 * retry.
 */
export const renewalPart = 1 / 3;

/** Fraction of a lease after which an unanswered renewal is retried. It is shorter than the timeout of the renewal. */
export const retryPart = 1 / 6;

/**
 * Leases that are due within this fraction of a lease are renewed together, to save round trips. It is small, since
 * each renewal may be early by this much. It is also the interval between two attempts of a release, and the margin
 * before a wait ends.
 */
export const slackPart = 1 / 24;

/** The fields of a request that are the same for all leases of a limiter. */
export type LeaseTerms = Pick<LeaseRequest, 'queueLimit' | 'extraTokens'>;

/** Receives the store's decisions about the leases that it has created. Implemented by semaphores. */
export interface LeasingSemaphore {
  readonly ref: LimitRef;
  readonly refOfRelease: LimitRef;
  readonly terms: LeaseTerms;
  /** Whether the process may keep free leases idle at present. */
  readonly reserves: boolean;
  /**
   * Applies the state of the limit in an answer. Called before the lease changes. `verb` and `ref` are those of the
   * request.
   */
  learn(state: LimitState, verb: LeaseVerb, ref: LimitRef): void;
  /** The store has queued the lease. Returns false if the owner has released it instead. */
  queued(lease: Lease): boolean;
  /** The lease is held now. `answer` is present if the answer to the first request granted the lease. */
  granted(lease: Lease, answer?: Reply): void;
  /** The store's queue is full. */
  rejected(lease: Lease): void;
  /** The lease's weight was granted to another process, or may have been. */
  lost(lease: Lease): void;
  /** The store had dropped the lease before it was released. */
  dropped(lease: Lease): void;
  /** It is unknown whether the operation was executed. */
  failed(lease: Lease, verb: LeaseVerb, error: StoreError): void;
}

/** This process's record of a lease of a distributed limit. Only its methods change its state. */
export abstract class Lease {
  /** `unsent`: not requested yet. `requested`: not answered yet. `ended`: released, lost, or rejected. */
  state: 'unsent' | 'requested' | 'queued' | 'held' | 'ended' = 'unsent';
  private place: string | undefined = undefined;
  private resized = false;
  fencing: bigint | undefined = undefined;
  /**
   * Whether the lease may have expired in the store since its first request. If so, messages about it may be outdated.
   */
  hasLapsed = false;
  /**
   * When the latest answered request for the lease was sent or, before the first answer, when the lease was requested.
   */
  confirmedAt = 0;
  /** Number of requests about the lease so far, except its release. */
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

  /** Milliseconds for which the lease may still be queued. If 0, it must not be queued. */
  abstract get timeLeft(): number;

  /** Builds the next request for this lease, and counts it as sent. */
  nextRequest(now: number, missed: number): LeaseRequest {
    if (this.state === 'unsent') {
      this.state = 'requested';
      this.confirmedAt = now;
    }
    this.missed = missed;
    this.requests++;
    return this.presentRequest(now, this.semaphore.ref);
  }

  /** Builds a request with the present state of this lease. */
  presentRequest(now: number, ref: LimitRef): LeaseRequest {
    const { id, weight, resized, place, fencing } = this;
    const { reserves, terms } = this.semaphore;
    const { queueLimit, extraTokens } = terms;
    const { timeLeft: wait } = this;
    this.waitsUntil = now + wait;
    return { ref, id, weight, resized, wait, queueLimit, place, fencing, extraTokens, reserves };
  }

  queue(place: string | undefined): void {
    this.state = 'queued';
    this.place = place;
  }

  hold(fencing: bigint | undefined): void {
    this.state = 'held';
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
    this.state = 'ended';
  }
}
