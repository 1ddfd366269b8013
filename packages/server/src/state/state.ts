import { Peers } from './peers.ts';
import * as refusals from './refusal.ts';
import { type Acquired, Refusal } from './refusal.ts';
import { Peer, PendingLock, type Semaphore, type SemaphoreSettings, Wait } from './semaphore.ts';
import { Semaphores } from './semaphores.ts';
import { Waits } from './waits.ts';

/** The environment of the state. */
export interface StateOptions {
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number;
  /** A random unsigned 64-bit number. */
  readonly randomId: () => bigint;
  readonly maxPeers: number;
  /** Maximum number of blocked requests. */
  readonly maxBlocked: number;
  /** Must call `advance` at this instant. Only the earliest requested instant matters. */
  readonly wakeAt: (instant: number) => void;
  readonly expired: (peers: number) => void;
  /** Called before each operation changes something. */
  readonly operated?: (now: number, semaphores: Iterable<Semaphore>) => void;
}

/** A request for a lock. */
export interface LockRequest {
  readonly peer: bigint;
  readonly semaphore: string;
  readonly count: bigint;
  /** Renews the peer for this many milliseconds from now, whether or not the lock is granted. */
  readonly expiresIn?: number | undefined;
}

/**
 * The peers with their held and pending locks. Does no I/O and has no timers: each call begins with `advance`, which
 * applies everything that is due by then.
 */
export class State {
  readonly #options: StateOptions;
  readonly #peers: Peers;
  readonly #waits: Waits;
  readonly #semaphores: Semaphores;

  constructor(options: StateOptions) {
    this.#options = options;
    this.#peers = new Peers(options.maxPeers, options.wakeAt);
    this.#waits = new Waits(options.maxBlocked, options.wakeAt);
    this.#semaphores = new Semaphores((peer) => this.#waits.answer(peer));
  }

  /** Replaces the configured semaphores. Held and pending locks stay. */
  configure(semaphores: ReadonlyMap<string, SemaphoreSettings>): void {
    this.#semaphores.configure(semaphores, this.advance());
  }

  /** Removes expired peers and answers blocked requests that have timed out. Returns the current time. */
  advance(): number {
    const now = this.#options.now();
    this.#options.operated?.(now, this.#semaphores.all());
    this.#expire(now);
    this.#waits.end(now);
    return now;
  }

  /** When `advance` is due next; Infinity if never. */
  get next(): number {
    return Math.min(this.#peers.next, this.#waits.next);
  }

  newPeer(expiresIn: number): bigint | Refusal {
    const now = this.advance();
    let id = this.#options.randomId();
    while (this.#peers.get(id) !== undefined) id = this.#options.randomId();
    return this.#peers.add(new Peer(id, now + expiresIn)) ?? id;
  }

  /** Returns whether the peer existed. */
  deletePeer(id: bigint): boolean {
    const now = this.advance();
    const peer = this.#peers.get(id);
    if (peer === undefined) return false;
    for (const semaphore of this.#remove(peer)) this.#semaphores.serve(semaphore, now);
    return true;
  }

  /** Renews the peer for `expiresIn` milliseconds from now. */
  heartbeat(id: bigint, expiresIn: number): Refusal | undefined {
    const now = this.advance();
    const peer = this.#peers.get(id);
    if (peer === undefined) return refusals.unknownPeer;
    this.#peers.renew(peer, now + expiresIn);
    return undefined;
  }

  /**
   * Requests a lock. Returns false if it is pending. Idempotent: repeating the request for the same count acquires
   * nothing more.
   */
  acquire({ peer: id, semaphore: name, count, expiresIn }: LockRequest): Acquired {
    const now = this.advance();
    const peer = this.#peers.get(id);
    const semaphore = this.#semaphores.of(name, peer);
    if (semaphore === undefined) return refusals.unknownSemaphore;
    // A lock that is already held stays held, even if the full count has been lowered below its count.
    if (count > semaphore.max && count !== peer?.acquired.get(semaphore)) {
      return refusals.exceedsFullCount(count, semaphore.max);
    }
    if (expiresIn !== undefined) {
      if (peer === undefined) return refusals.unknownPeer;
      this.#peers.renew(peer, now + expiresIn);
    }
    if (count < 1n) return refusals.badCount(count);
    if (peer === undefined) return refusals.unknownPeer;
    const demand = peer.demand(semaphore);
    if (demand === undefined) return this.#request(peer, semaphore, count, now);
    if (count > demand) return refusals.hierarchy(semaphore.level, semaphore.level);
    return count < demand ? refusals.shrinking : peer.pending === undefined;
  }

  /**
   * Blocks a request whose `acquire` returned false: calls `settle` when no lock of the peer is pending any more, when
   * the peer is gone, or after `blockFor`. The lock stays pending.
   *
   * @param blockFor Milliseconds.
   */
  wait(
    { peer: id, semaphore: name }: LockRequest,
    blockFor: number,
    settle: (answer: Acquired) => void,
  ): Wait | Refusal {
    const peer = this.#peers.get(id) as Peer;
    const semaphore = this.#semaphores.get(name) as Semaphore;
    const wait = new Wait(peer, semaphore, this.#options.now() + blockFor, settle);
    return this.#waits.add(wait) ?? wait;
  }

  /** Called when the client of a blocked request has disconnected. `settle` will not be called. */
  forget(wait: Wait): void {
    this.#waits.forget(wait);
  }

  /** Answers all blocked requests as if their time had elapsed. */
  answerAll(): void {
    this.#waits.end(Infinity);
  }

  /** Releases a held lock, or withdraws a pending one. The peer's pending lock on another semaphore is not affected. */
  releaseLock(id: bigint, name: string): Refusal | undefined {
    const now = this.advance();
    const semaphore = this.#semaphores.get(name);
    if (semaphore === undefined) return refusals.unknownSemaphore;
    const peer = this.#peers.get(id);
    if (peer === undefined) return refusals.unknownPeer;
    if (!semaphore.release(peer) && peer.pending?.semaphore === semaphore) {
      peer.withdraw();
      this.#waits.answer(peer);
    }
    this.#semaphores.serve(semaphore, now);
    return undefined;
  }

  /** Whether the peer has no pending lock. */
  isAcquired(id: bigint): Acquired {
    this.advance();
    const peer = this.#peers.get(id);
    return peer === undefined ? refusals.unknownPeer : peer.pending === undefined;
  }

  remainder(name: string): bigint | Refusal {
    this.advance();
    return this.#semaphores.get(name)?.remainder ?? refusals.unknownSemaphore;
  }

  /**
   * Restores a peer with all its locks, even beyond the full counts and ahead of pending locks, since the peer is
   * already working under them. If the peer still exists, renews it if its locks match.
   */
  restore(id: bigint, locks: ReadonlyMap<string, bigint>, expiresIn: number): Refusal | undefined {
    const now = this.advance();
    const known = this.#peers.get(id);
    const acquired = this.#semaphores.resolve(locks, known);
    if (acquired instanceof Refusal) return acquired;
    if (known !== undefined) {
      if (known.pending !== undefined || !known.holds(acquired)) return refusals.restoreWouldChange;
      this.#peers.renew(known, now + expiresIn);
      return undefined;
    }
    const peer = new Peer(id, now + expiresIn);
    const refusal = this.#peers.add(peer);
    if (refusal !== undefined) return refusal;
    for (const [semaphore, count] of acquired) semaphore.hold(peer, count, now);
    return undefined;
  }

  peers(): Iterable<bigint> {
    this.advance();
    return this.#peers.ids();
  }

  semaphores(): Iterable<Semaphore> {
    this.advance();
    return this.#semaphores.all();
  }

  /** The sizes of all collections, for tests and the page. */
  get size(): { peers: number; expiries: number; waits: number; semaphores: number } {
    return {
      peers: this.#peers.size,
      expiries: this.#peers.expiries,
      waits: this.#waits.size,
      semaphores: this.#semaphores.size,
    };
  }

  /** Enqueues the lock. If the queue was empty and the count fits, `serve` grants it immediately. */
  #request(peer: Peer, semaphore: Semaphore, count: bigint, now: number): Acquired {
    const { level } = peer;
    if (level !== undefined && level <= semaphore.level) {
      return refusals.hierarchy(level, semaphore.level);
    }
    if (peer.pending !== undefined) return refusals.alreadyPending;
    const lock = new PendingLock(peer, semaphore, count, now);
    peer.pending = lock;
    semaphore.enqueue(lock);
    this.#semaphores.serve(semaphore, now);
    return peer.pending === undefined;
  }

  /** Removes all expired peers before granting, so that no peer that expires at the same instant is granted a lock. */
  #expire(now: number): void {
    let count = 0;
    const freed = new Set<Semaphore>();
    for (let peer = this.#peers.due(now); peer !== undefined; peer = this.#peers.due(now)) {
      for (const semaphore of this.#remove(peer)) freed.add(semaphore);
      count += 1;
    }
    if (count === 0) return;
    for (const semaphore of freed) this.#semaphores.serve(semaphore, now);
    this.#options.expired(count);
  }

  /** Removes the peer. Returns the semaphores that may be able to grant locks now. */
  #remove(peer: Peer): Semaphore[] {
    this.#peers.delete(peer);
    this.#waits.refuse(peer);
    return peer.releaseAll();
  }
}
