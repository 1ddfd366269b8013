import type { StoreError } from '../limiter/store-error.ts';
import type { Lease } from './lease.ts';
import type { SharedPool } from './shared-pool.ts';
import type { Answer, LeaseVerb, Reply } from './store.ts';

/** Applies the store's answers and messages to the leases of a semaphore. */
export class Replies {
  constructor(private readonly pool: SharedPool) {}

  /** Handles the answer to `acquire`, `stay`, `renew`, `register` or `resize`. */
  answered(lease: Lease, verb: LeaseVerb, answer: Answer, sent: number): void {
    const { pool } = this;
    const { session } = pool.home;
    if ('error' in answer) return this.#unanswered(lease, verb, answer.error);
    // A store that refuses new permits may still renew those that are held.
    if (verb === 'acquire' || verb === 'stay') pool.home.worked();
    pool.learn(answer);
    if (lease.state === 'over') return this.#answeredLate(lease, answer);
    if (answer.state === 'lost') return pool.holdings.lost(lease);
    if (answer.state === 'full') {
      session.forget(lease);
      return pool.refuse(lease, 'full');
    }
    // `resize` does not renew the lease.
    if (verb === 'resize') return;
    session.heard(lease, sent);
    if (answer.state === 'queued') this.#queued(lease, answer);
    else if (lease.state !== 'held') this.#holds(lease, answer.fencing);
  }

  /** Handles the message that a queued lease was granted. */
  granted(lease: Lease, fencing: bigint | undefined): void {
    const { holdings, home } = this.pool;
    if (lease.state !== 'asking' && lease.state !== 'queued') return;
    // The message may be old: the lease is only valid from its last answered request.
    if (holdings.isCertain(lease)) {
      home.session.heard(lease, lease.heard);
      this.#holds(lease, fencing);
    } else home.session.ask('stay', lease);
  }

  #unanswered(lease: Lease, verb: LeaseVerb, error: StoreError): void {
    const { home, key, holdings } = this.pool;
    home.failed(key, error);
    if (lease.state === 'over') return;
    const { permit } = lease;
    if (verb === 'register' && permit !== undefined) {
      holdings.release(lease);
      permit.lease = undefined;
      home.fallback.addAgain(permit);
    } else if (verb === 'acquire' || verb === 'stay') home.fallback.take(lease, error);
  }

  #answeredLate(lease: Lease, { state }: Reply): void {
    if (state === 'held' || state === 'queued') this.pool.home.session.releases.add(lease);
  }

  #queued(lease: Lease, { place }: Reply): void {
    // The message of the grant has overtaken this answer.
    if (lease.state === 'held') return;
    lease.place = place;
    lease.state = 'queued';
    const { pool } = this;
    const { session, queued, queueLimit } = pool.home;
    const hasRoom = session.store.can.queueLimit || queued < queueLimit;
    if (!hasRoom || !pool.startQueueing(lease)) return pool.refuse(lease, 'full');
    // Messages may have been missed since the request was sent, so the lease may be held by now.
    if (lease.missed < session.missed) return session.ask('stay', lease);
    pool.prolong(lease);
    pool.checkSoon(lease);
  }

  #holds(lease: Lease, fencing: bigint | undefined): void {
    const { admission, holdings, home } = this.pool;
    lease.state = 'held';
    lease.fencing = fencing;
    lease.since = home.session.store.clock.now();
    lease.uses = 0;
    holdings.add(lease);
    if (lease.permit === undefined) admission.pass(lease);
  }
}
