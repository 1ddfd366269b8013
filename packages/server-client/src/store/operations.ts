import {
  type LeaseRequest,
  type LeaseVerb,
  maxTimer,
  outsideRequest,
  type Reply,
} from '@headgate/store-kit';
import { peerForgotten, refused } from '../failure.ts';
import type { CallTimes } from '../transport.ts';
import { LeasePeers, type LeasePeersOptions } from './lease-peers.ts';
import { LeaseTable, type ServiceLease } from './lease-table.ts';
import type { LocalQueue, Waiting } from './local-queue.ts';

export interface OperationsOptions extends LeasePeersOptions {
  /** Timeout, in milliseconds, of a call that no operation waits for. */
  readonly timeout: number;
  /** Called when a waiter was enqueued. */
  readonly waits: (queue: LocalQueue) => void;
  /** Called when the first waiter of a queue may have changed. */
  readonly left: (queue: LocalQueue) => void;
  /** Called when a queued lease was granted. */
  readonly granted: (id: string) => void;
  /** Called when the service has lost its state: the other leases must be registered again. */
  readonly forgotten: () => void;
}

type State = Reply['state'];

/** How an operation runs among others: its timeout and what it waits for. */
export interface OperationContext extends CallTimes {
  /** Runs after the operations in progress on the same semaphore, or at once if this is one of them. */
  inSequence<T>(id: string, work: () => Promise<T>): Promise<T>;
}

/**
 * Translates lease operations to the protocol, with one peer for each lease. Every request renews its peer for a whole
 * lease duration, so it is harmless however late it arrives.
 */
export class Operations {
  readonly #options: OperationsOptions;
  readonly #leaseTable: LeaseTable;
  readonly #peers: LeasePeers;
  /** When all leases were last asked to register again. */
  #reregisteredAt = -Infinity;

  constructor(options: OperationsOptions) {
    this.#options = options;
    this.#leaseTable = new LeaseTable(options.left);
    this.#peers = new LeasePeers(options);
  }

  /** Creates the peer of a lease that is about to be acquired, without waiting for earlier operations. */
  prepare(request: LeaseRequest, times: CallTimes): void {
    this.#peers.create(this.#leaseTable.of(request), times).catch(() => {});
  }

  do(verb: LeaseVerb, request: LeaseRequest, context: OperationContext): Promise<State> {
    const lease = this.#leaseTable.of(request);
    if (verb === 'release') return this.#release(lease, context);
    lease.isReleased = false;
    if (verb === 'acquire') return this.#acquire(lease, request.wait, context);
    if (verb === 'stay') return this.#stay(lease, request.wait, context);
    if (verb === 'renew') return this.#renew(lease, context);
    if (verb === 'register') return this.#register(lease, context);
    throw refused('the semaphore service cannot change the count of a lock');
  }

  /** A poll reports a grant. */
  granted({ id, peer }: Waiting): void {
    const lease = this.#leaseTable.get(id);
    if (lease?.peer !== peer) return;
    this.#markHeld(lease);
    this.#options.granted(id);
  }

  /** Called when a poll finds that the service has lost the waiter, which may already be joining the queue again. */
  gone({ id, peer }: Waiting): void {
    const lease = this.#leaseTable.get(id);
    if (lease?.peer !== peer) return;
    lease.leave();
    this.#isForgotten(lease);
  }

  async #acquire(lease: ServiceLease, wait: number, context: OperationContext): Promise<State> {
    const mayWait = wait > 0 || lease.waiting !== undefined;
    if (await this.#acquireOrEnqueue(lease, wait, context)) return this.#markHeld(lease);
    if (mayWait) return 'queued';
    lease.retire();
    await this.#peers.remove(lease, context);
    this.#leaseTable.delete(lease);
    return 'full';
  }

  async #stay(lease: ServiceLease, wait: number, context: OperationContext): Promise<State> {
    if (!(await this.#acquireOrEnqueue(lease, wait, context))) return 'queued';
    if (!lease.isHeld) this.#options.granted(lease.id);
    return this.#markHeld(lease);
  }

  async #renew(lease: ServiceLease, times: CallTimes): Promise<State> {
    const { protocol, leaseDuration } = this.#options;
    if (!lease.isHeld) return 'lost';
    const [{ peer }, sent] = [lease, this.#now()];
    const isKnown = await protocol.heartbeat(peer, leaseDuration, times);
    if (lease.peer !== peer) return 'lost';
    if (isKnown) lease.renewedAt = Math.max(lease.renewedAt, sent);
    // The answer is outdated if the heartbeat was sent before the latest restore.
    if (isKnown || lease.renewedAt > sent) return 'held';
    if (!this.#isForgotten(lease)) {
      lease.forget();
      return 'lost';
    }
    return this.#restore(lease, times);
  }

  async #register(lease: ServiceLease, times: CallTimes): Promise<State> {
    const wasHeld = lease.isHeld;
    const state = await this.#restore(lease, times);
    // Renewed separately, since pacman82/throttle itself does not renew an existing peer on a restore.
    if (wasHeld && state === 'held') await this.#renew(lease, times);
    return state;
  }

  async #release(lease: ServiceLease, times: CallTimes): Promise<State> {
    if (!lease.isReleased) lease.retire();
    lease.isReleased = true;
    try {
      const wasThere = await this.#peers.remove(lease, times);
      if (lease.isReleased) this.#leaseTable.delete(lease);
      return wasThere ? 'ok' : 'lost';
    } catch (error) {
      // The limiter retries for one lease duration, so the record is kept for two.
      const leftover = 2 * this.#options.leaseDuration;
      const forget = () => lease.isReleased && this.#leaseTable.delete(lease);
      outsideRequest(() => setTimeout(forget, leftover)).unref();
      throw error;
    }
  }

  /** Acquires a lease. Returns whether it is held; if not, it is queued. */
  async #acquireOrEnqueue(
    lease: ServiceLease,
    wait: number,
    context: OperationContext,
  ): Promise<boolean> {
    if (lease.waiting !== undefined) lease.join(this.#limitWait(lease, wait));
    const outcome = lease.existsAtService ? await this.#request(lease, wait, context) : 'unknown';
    if (outcome !== 'unknown') return outcome === 'held';
    // Enqueues one after the other, so that the local order matches the service's.
    return context.inSequence(lease.id, async () => {
      await this.#peers.create(lease, context);
      if (lease.isReleased) return false;
      const retried = await this.#request(lease, wait, context);
      if (retried !== 'unknown' || lease.isReleased) return retried === 'held';
      throw peerForgotten();
    });
  }

  async #request(lease: ServiceLease, wait: number, times: CallTimes) {
    const { peer, weight: count, queue, isHeld: wasHeld } = lease;
    const { protocol, leaseDuration: expiresIn } = this.#options;
    const sent = this.#now();
    const ask = { peer, semaphore: queue.semaphore, count, expiresIn };
    const outcome = await protocol.acquire(ask, times);
    // The answer no longer matters: the lease was released, or has another peer by now.
    if (lease.peer !== peer) return 'pending';
    if (outcome === 'unknown') {
      // The peer was created again while this answer was in flight: the lease stays queued.
      if (lease.renewedAt > sent) return lease.isHeld ? 'held' : 'pending';
      this.#isForgotten(lease);
      lease.forget();
      return outcome;
    }
    lease.renewedAt = Math.max(lease.renewedAt, sent);
    // A poll may have reported the grant while this answer was in flight.
    if (outcome === 'held' || (lease.isHeld && !wasHeld)) return 'held';
    lease.isHeld = false;
    lease.join(this.#limitWait(lease, wait));
    this.#options.waits(lease.queue);
    return outcome;
  }

  /**
   * Withdraws a waiter after its wait, if that is shorter than a lease: the service would keep the waiter for a lease.
   */
  #limitWait(lease: ServiceLease, wait: number): () => void {
    if (wait <= 0 || wait > maxTimer) return () => {};
    const withdraw = () => {
      lease.retire();
      // If that fails, the peer expires.
      this.#peers.remove(lease, { timeout: this.#options.timeout }).catch(() => {});
    };
    const timer = outsideRequest(() => setTimeout(withdraw, wait)).unref();
    return () => clearTimeout(timer);
  }

  /** Restores the lease as held, even beyond the full count. */
  async #restore(lease: ServiceLease, times: CallTimes): Promise<State> {
    if (!(await this.#peers.restore(lease, times))) return 'lost';
    if (lease.isReleased) return 'held';
    await this.#peers.remove(lease, times);
    return this.#markHeld(lease);
  }

  #markHeld(lease: ServiceLease): 'held' {
    lease.leave();
    lease.isHeld = true;
    return 'held';
  }

  /** Whether the service has lost its state, as opposed to the lease having expired. */
  #isForgotten(lease: ServiceLease): boolean {
    const { renewedAt, isReleased } = lease;
    const now = this.#now();
    if (isReleased || now >= renewedAt + this.#options.leaseDuration) return false;
    if (renewedAt > this.#reregisteredAt) {
      this.#reregisteredAt = now;
      this.#options.forgotten();
    }
    return true;
  }

  #now(): number {
    return this.#options.clock.now();
  }
}
