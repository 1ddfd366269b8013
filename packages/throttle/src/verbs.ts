import type { Clock } from '@headgate/core';
import { type LeaseRequest, type LeaseVerb, longestTimer, type Reply } from '@headgate/core/shared';
import { forgetful, refused } from './failure.ts';
import { type KeptLease, KeptLeases } from './kept.ts';
import type { Line, Waiting } from './line.ts';
import type { Protocol } from './protocol.ts';
import type { CallTimes } from './transport.ts';

export interface VerbsOptions {
  readonly protocol: Protocol;
  readonly clock: Clock;
  /** Milliseconds. */
  readonly lease: number;
  /** Milliseconds that a call may take that no operation waits for. */
  readonly timeout: number;
  /** There is a waiter in this queue. */
  readonly waits: (line: Line) => void;
  /** The first waiter of this queue may be another one. */
  readonly left: (line: Line) => void;
  /** This lease was granted. */
  readonly granted: (id: string) => void;
  /** The service has lost its state: what else it knew must be registered again. */
  readonly forgotten: () => void;
}

type State = Reply['state'];

/** How an operation is done among others: how long it may take, and what it waits for. */
export interface Course extends CallTimes {
  /** Does it after what is being done for the same semaphore; at once where that is what is being done. */
  inSequence<T>(id: string, work: () => Promise<T>): Promise<T>;
}

/**
 * What is done with leases, in the words of the protocol: a peer for each. Every request that prolongs a peer prolongs it
 * by a whole lease, so that it is harmless however late it arrives.
 */
export class Verbs {
  readonly #options: VerbsOptions;
  readonly #kept: KeptLeases;
  /** Leases that were last heard of before are being registered again. */
  #toldAgain = -Infinity;

  constructor(options: VerbsOptions) {
    this.#options = options;
    this.#kept = new KeptLeases(options.left);
  }

  /** Makes the peer of a lease that is about to be asked for, without waiting for those before it. */
  prepare(request: LeaseRequest, times: CallTimes): void {
    this.#make(this.#kept.of(request), times).catch(() => {});
  }

  do(verb: LeaseVerb, request: LeaseRequest, course: Course): Promise<State> {
    const lease = this.#kept.of(request);
    if (verb === 'release') return this.#release(lease, course);
    lease.isOver = false;
    if (verb === 'acquire') return this.#acquire(lease, request.wait, course);
    if (verb === 'stay') return this.#stay(lease, request.wait, course);
    if (verb === 'renew') return this.#renew(lease, course);
    if (verb === 'register') return this.#register(lease, course);
    throw refused('the semaphore service changes the count of no lock');
  }

  /** Unasked: it has left the queue with a grant. */
  granted({ id, peer }: Waiting): void {
    const lease = this.#kept.get(id);
    if (lease?.peer !== peer) return;
    this.#holds(lease);
    this.#options.granted(id);
  }

  /** The service does not know it any more. It may be joining the queue again already. */
  gone({ id, peer }: Waiting): void {
    const lease = this.#kept.get(id);
    if (lease?.peer !== peer) return;
    lease.leave();
    this.#isForgotten(lease);
  }

  async #acquire(lease: KeptLease, wait: number, course: Course): Promise<State> {
    const mayWait = wait > 0 || lease.waiting !== undefined;
    if (await this.#asks(lease, wait, course)) return this.#holds(lease);
    if (mayWait) return 'queued';
    lease.retire();
    await this.#remove(lease, course);
    this.#kept.delete(lease);
    return 'full';
  }

  async #stay(lease: KeptLease, wait: number, course: Course): Promise<State> {
    if (!(await this.#asks(lease, wait, course))) return 'queued';
    if (!lease.isHeld) this.#options.granted(lease.id);
    return this.#holds(lease);
  }

  async #renew(lease: KeptLease, times: CallTimes): Promise<State> {
    const { protocol, lease: length } = this.#options;
    if (!lease.isHeld) return 'lost';
    const [{ peer }, sent] = [lease, this.#now()];
    const isKnown = await protocol.heartbeat(peer, length, times);
    if (lease.peer !== peer) return 'lost';
    if (isKnown) lease.heard = Math.max(lease.heard, sent);
    // Where it was restored while this answer was under way, the answer is old.
    if (isKnown || lease.heard > sent) return 'held';
    if (!this.#isForgotten(lease)) {
      lease.forget();
      return 'lost';
    }
    return this.#restore(lease, times);
  }

  async #register(lease: KeptLease, times: CallTimes): Promise<State> {
    const wasHeld = lease.isHeld;
    const state = await this.#restore(lease, times);
    // The original service does not prolong one that is there already.
    if (wasHeld && state === 'held') await this.#renew(lease, times);
    return state;
  }

  async #release(lease: KeptLease, times: CallTimes): Promise<State> {
    if (!lease.isOver) lease.retire();
    lease.isOver = true;
    try {
      const wasThere = await this.#remove(lease, times);
      if (lease.isOver) this.#kept.delete(lease);
      return wasThere ? 'ok' : 'lost';
    } catch (error) {
      // Its limiter tries again, for a lease.
      setTimeout(() => lease.isOver && this.#kept.delete(lease), this.#leftover).unref();
      throw error;
    }
  }

  /** Whether it is held by now; else it waits in the queue. */
  async #asks(lease: KeptLease, wait: number, course: Course): Promise<boolean> {
    if (lease.waiting !== undefined) lease.join(this.#limitWait(lease, wait));
    const outcome = lease.isMade ? await this.#ask(lease, wait, course) : 'unknown';
    if (outcome !== 'unknown') return outcome === 'held';
    // The order here is to be that of the service: one joins after the other.
    return course.inSequence(lease.id, async () => {
      await this.#make(lease, course);
      if (lease.isOver) return false;
      const joined = await this.#ask(lease, wait, course);
      if (joined !== 'unknown' || lease.isOver) return joined === 'held';
      throw forgetful();
    });
  }

  async #ask(lease: KeptLease, wait: number, times: CallTimes) {
    const { peer, weight: count, line, isHeld: wasHeld } = lease;
    const { protocol, lease: expiresIn } = this.#options;
    const sent = this.#now();
    const ask = { peer, semaphore: line.semaphore, count, expiresIn };
    const outcome = await protocol.acquire(ask, times);
    // It was released, or is another peer by now: its answer does not matter any more.
    if (lease.peer !== peer) return 'pending';
    if (outcome === 'unknown') {
      // It was made again while this answer was under way: its place in the queue stays.
      if (lease.heard > sent) return lease.isHeld ? 'held' : 'pending';
      this.#isForgotten(lease);
      lease.forget();
      return outcome;
    }
    lease.heard = Math.max(lease.heard, sent);
    // The grant may have been heard of while this answer was under way.
    if (outcome === 'held' || (lease.isHeld && !wasHeld)) return 'held';
    lease.isHeld = false;
    lease.join(this.#limitWait(lease, wait));
    this.#options.waits(lease.line);
    return outcome;
  }

  /** The service keeps a waiter for a whole lease: where its wait is shorter, it is withdrawn. */
  #limitWait(lease: KeptLease, wait: number): () => void {
    if (wait <= 0 || wait > longestTimer) return () => {};
    const timer = setTimeout(() => {
      lease.retire();
      // Where that fails, its peer expires.
      this.#remove(lease, { timeout: this.#options.timeout }).catch(() => {});
    }, wait);
    timer.unref();
    return () => clearTimeout(timer);
  }

  #make(lease: KeptLease, times: CallTimes): Promise<void> {
    const { protocol, lease: length } = this.#options;
    return lease.inTurn(async () => {
      if (lease.isMade || lease.isOver) return;
      const [{ peer }, sent] = [lease, this.#now()];
      await protocol.restore(peer, new Map(), length, times);
      if (lease.peer === peer) lease.heard = sent;
    });
  }

  /** Held from now on, whatever the full count is. */
  async #restore(lease: KeptLease, times: CallTimes): Promise<State> {
    const { protocol, lease: length } = this.#options;
    const counts = new Map([[lease.line.semaphore, lease.weight]]);
    const isHeld = await lease.inTurn(async () => {
      if (lease.isOver) return false;
      const sent = this.#now();
      const isRestored = await protocol.restore(lease.peer, counts, length, times);
      // It was released meanwhile: its removal follows.
      if (lease.isOver) return true;
      if (!isRestored) {
        // There is such a peer that holds something else: it waits in the queue.
        lease.retire();
        await protocol.restore(lease.peer, counts, length, times);
      }
      if (!lease.isOver) lease.heard = sent;
      return true;
    });
    if (!isHeld) return 'lost';
    if (lease.isOver) return 'held';
    await this.#remove(lease, times);
    return this.#holds(lease);
  }

  /** Removes the peers that it was; false where there was none. */
  #remove(lease: KeptLease, times: CallTimes): Promise<boolean> {
    return lease.inTurn(async () => {
      let wasThere = false;
      for (const peer of lease.removing) {
        if (await this.#options.protocol.remove(peer, times)) wasThere = true;
        lease.removing.delete(peer);
      }
      return wasThere;
    });
  }

  #holds(lease: KeptLease): 'held' {
    lease.leave();
    lease.isHeld = true;
    return 'held';
  }

  /** The service does not know it: whether that is because it has lost its state, not because the lease has run out. */
  #isForgotten(lease: KeptLease): boolean {
    const { heard, isOver } = lease;
    const now = this.#now();
    if (isOver || now >= heard + this.#options.lease) return false;
    if (heard > this.#toldAgain) {
      this.#toldAgain = now;
      this.#options.forgotten();
    }
    return true;
  }

  /** Milliseconds for which a lease is remembered whose removal failed. */
  get #leftover(): number {
    return 2 * this.#options.lease;
  }

  #now(): number {
    return this.#options.clock.now();
  }
}
