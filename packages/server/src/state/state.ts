import { Peer } from './peer.ts';
import { Peers } from './peers.ts';
import * as refusals from './refusal.ts';
import { Refusal } from './refusal.ts';
import { PendingLock, type Semaphore, type SemaphoreSettings } from './semaphore.ts';
import { Semaphores } from './semaphores.ts';
import { type Acquired, Wait, Waits } from './wait.ts';

/** What the state is given by the world, and tells it. */
export interface StateOptions {
  /** Milliseconds that never go back. */
  readonly now: () => number;
  /** Any number of 64 bits. */
  readonly randomId: () => bigint;
  readonly maxPeers: number;
  /** Of blocked requests. */
  readonly maxBlocked: number;
  /** `advance` has something to do then, if not before; the earliest instant counts. */
  readonly wakeAt: (instant: number) => void;
  readonly expired: (peers: number) => void;
}

/** A lock that is asked for. */
export interface LockRequest {
  readonly peer: bigint;
  readonly semaphore: string;
  readonly count: bigint;
  /** Milliseconds that the peer lives on from now, whatever becomes of the lock. */
  readonly expiresIn?: number | undefined;
}

/**
 * Peers, and the locks that they hold and wait for. It does no input or output and has no timers: each call begins
 * with what is due by then, in `advance`.
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

  /** From now on there are these semaphores. What is held and waited for stays. */
  configure(semaphores: ReadonlyMap<string, SemaphoreSettings>): void {
    this.#semaphores.configure(semaphores, this.advance());
  }

  /** Ends what has expired, and the waits whose time is up. Returns what time it is. */
  advance(): number {
    const now = this.#options.now();
    this.#expire(now);
    this.#waits.end(now);
    return now;
  }

  /** When `advance` has something to do; Infinity where it never has. */
  get next(): number {
    return Math.min(this.#peers.next, this.#waits.next);
  }

  newPeer(expiresIn: number): bigint | Refusal {
    const now = this.advance();
    let id = this.#options.randomId();
    while (this.#peers.get(id) !== undefined) id = this.#options.randomId();
    return this.#peers.add(new Peer(id, now + expiresIn)) ?? id;
  }

  /** Whether there was one. */
  deletePeer(id: bigint): boolean {
    const now = this.advance();
    const peer = this.#peers.get(id);
    if (peer === undefined) return false;
    for (const semaphore of this.#remove(peer)) this.#semaphores.serve(semaphore, now);
    return true;
  }

  /** The peer lives on for so many milliseconds from now. */
  heartbeat(id: bigint, expiresIn: number): Refusal | undefined {
    const now = this.advance();
    const peer = this.#peers.get(id);
    if (peer === undefined) return refusals.unknownPeer;
    this.#peers.prolong(peer, now + expiresIn);
    return undefined;
  }

  /** Whether the peer waits for nothing now. May be repeated: the same count is not taken twice. */
  acquire({ peer: id, semaphore: name, count, expiresIn }: LockRequest): Acquired {
    const now = this.advance();
    const peer = this.#peers.get(id);
    const semaphore = this.#semaphores.of(name, peer);
    if (semaphore === undefined) return refusals.unknownSemaphore;
    // What is held already stays so where the full count has been lowered since.
    if (count > semaphore.max && count !== peer?.acquired.get(semaphore)) {
      return refusals.never(count, semaphore.max);
    }
    if (expiresIn !== undefined) {
      if (peer === undefined) return refusals.unknownPeer;
      this.#peers.prolong(peer, now + expiresIn);
    }
    if (count < 1n) return refusals.badCount(count);
    if (peer === undefined) return refusals.unknownPeer;
    const demand = peer.demand(semaphore);
    if (demand === undefined) return this.#request(peer, semaphore, count, now);
    if (count > demand) return refusals.hierarchy(semaphore.level, semaphore.level);
    return count < demand ? refusals.shrinking : peer.pending === undefined;
  }

  /**
   * After `acquire` has said no: tells once the peer waits for nothing any more, is gone, or the time is up. The lock
   * waits on.
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

  /** Who waited has gone away; no answer follows. */
  forget(wait: Wait): void {
    this.#waits.forget(wait);
  }

  /** Every blocked request is answered as if its time were up. */
  answerAll(): void {
    this.#waits.end(Infinity);
  }

  /** Gives a lock back, or waits for it no longer. Another one that the peer waits for is none of its business. */
  releaseLock(id: bigint, name: string): Refusal | undefined {
    const now = this.advance();
    const semaphore = this.#semaphores.get(name);
    if (semaphore === undefined) return refusals.unknownSemaphore;
    const peer = this.#peers.get(id);
    if (peer === undefined) return refusals.unknownPeer;
    if (!semaphore.free(peer) && peer.pending?.semaphore === semaphore) {
      peer.withdraw();
      this.#waits.answer(peer);
    }
    this.#semaphores.serve(semaphore, now);
    return undefined;
  }

  /** Whether the peer waits for nothing. */
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
   * A peer with all its locks, beyond the full counts if need be and whoever waits: it works under them already. One
   * that is there lives on, if it is the same.
   */
  restore(id: bigint, locks: ReadonlyMap<string, bigint>, expiresIn: number): Refusal | undefined {
    const now = this.advance();
    const known = this.#peers.get(id);
    const acquired = this.#semaphores.resolve(locks, known);
    if (acquired instanceof Refusal) return acquired;
    if (known !== undefined) {
      if (known.pending !== undefined || !known.holds(acquired)) return refusals.restoreWouldChange;
      this.#peers.prolong(known, now + expiresIn);
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

  /** How much is remembered. */
  get size(): { peers: number; expiries: number; waits: number; semaphores: number } {
    return {
      peers: this.#peers.size,
      expiries: this.#peers.expiries,
      waits: this.#waits.size,
      semaphores: this.#semaphores.size,
    };
  }

  /** Joins the line; who finds it empty, and room, has left it by the end. */
  #request(peer: Peer, semaphore: Semaphore, count: bigint, now: number): Acquired {
    const { level } = peer;
    if (level !== undefined && level <= semaphore.level) {
      return refusals.hierarchy(level, semaphore.level);
    }
    if (peer.pending !== undefined) return refusals.alreadyPending;
    const lock = new PendingLock(peer, semaphore, count, now);
    peer.pending = lock;
    semaphore.join(lock);
    this.#semaphores.serve(semaphore, now);
    return peer.pending === undefined;
  }

  /** All go before anybody is let in, who might be one of them. */
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

  /** Returns of what there may be room now. */
  #remove(peer: Peer): Semaphore[] {
    this.#peers.delete(peer);
    this.#waits.refuse(peer);
    return peer.leave();
  }
}
