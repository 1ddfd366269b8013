import type { StoreError } from '../semaphore/rejection.ts';
import type { DistributedSemaphore } from './distributed-semaphore.ts';
import type { Lease } from './lease.ts';
import type { Answer, LeaseVerb, Reply } from './store.ts';

/** Applies the store's answers and messages to the leases of a semaphore. */
export class Replies {
  constructor(private readonly semaphore: DistributedSemaphore) {}

  /** Handles the answer to `acquire`, `stay`, `renew`, `register` or `resize`. */
  answered(lease: Lease, verb: LeaseVerb, answer: Answer, sent: number): void {
    const { semaphore } = this;
    const { session } = semaphore.parent;
    if ('error' in answer) return this.#unanswered(lease, verb, answer.error);
    // A store that refuses new permits may still renew those that are held.
    if (verb === 'acquire' || verb === 'stay') semaphore.parent.worked();
    semaphore.learn(answer);
    if (lease.state === 'over') return this.#answeredLate(lease, answer);
    if (answer.state === 'lost') return semaphore.heldLeases.lost(lease);
    if (answer.state === 'full') {
      session.forget(lease);
      return semaphore.refuse(lease, 'full');
    }
    // `resize` does not renew the lease.
    if (verb === 'resize') return;
    session.heard(lease, sent);
    if (answer.state === 'queued') this.#queued(lease, answer);
    else if (lease.state !== 'held') this.#holds(lease, answer.fencing);
  }

  /** Handles the message that a queued lease was granted. */
  granted(lease: Lease, fencing: bigint | undefined): void {
    const { heldLeases, parent } = this.semaphore;
    if (lease.state !== 'asking' && lease.state !== 'queued') return;
    // The message may be old: the lease is only valid from its last answered request.
    if (heldLeases.isCertain(lease)) {
      parent.session.heard(lease, lease.heard);
      this.#holds(lease, fencing);
    } else parent.session.ask('stay', lease);
  }

  #unanswered(lease: Lease, verb: LeaseVerb, error: StoreError): void {
    const { parent, key, heldLeases } = this.semaphore;
    parent.failed(key, error);
    if (lease.state === 'over') return;
    const { permit } = lease;
    if (verb === 'register' && permit !== undefined) {
      heldLeases.release(lease);
      permit.lease = undefined;
      parent.fallback.addAgain(permit);
    } else if (verb === 'acquire' || verb === 'stay') parent.fallback.take(lease, error);
  }

  #answeredLate(lease: Lease, { state }: Reply): void {
    if (state === 'held' || state === 'queued') this.semaphore.parent.session.releases.add(lease);
  }

  #queued(lease: Lease, { place }: Reply): void {
    // The message of the grant has overtaken this answer.
    if (lease.state === 'held') return;
    lease.place = place;
    lease.state = 'queued';
    const { semaphore } = this;
    const { session, queued, queueLimit } = semaphore.parent;
    const hasRoom = session.store.can.queueLimit || queued < queueLimit;
    if (!hasRoom || !semaphore.startQueueing(lease)) return semaphore.refuse(lease, 'full');
    // Messages may have been missed since the request was sent, so the lease may be held by now.
    if (lease.missed < session.missed) return session.ask('stay', lease);
    semaphore.prolong(lease);
    semaphore.checkSoon(lease);
  }

  #holds(lease: Lease, fencing: bigint | undefined): void {
    const { admission, heldLeases, parent } = this.semaphore;
    lease.state = 'held';
    lease.fencing = fencing;
    lease.since = parent.session.store.clock.now();
    lease.uses = 0;
    heldLeases.add(lease);
    if (lease.permit === undefined) admission.pass(lease);
  }
}
