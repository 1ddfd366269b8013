import { Heap } from './heap.ts';
import { type Acquired, type Refusal, tooManyWaits, unknownPeer } from './refusal.ts';
import type { Peer, Wait } from './semaphore.ts';

/** All blocked requests, ordered by the latest time at which they are answered. */
export class Waits {
  readonly #all = new Heap<Wait>((wait) => wait.until);

  constructor(
    private readonly max: number,
    private readonly wakeAt: (instant: number) => void,
  ) {}

  get size(): number {
    return this.#all.size;
  }

  /** When the next one times out; Infinity if there is none. */
  get next(): number {
    return this.#all.first?.until ?? Infinity;
  }

  add(wait: Wait): Refusal | undefined {
    if (this.size >= this.max) return tooManyWaits;
    wait.peer.waits.add(wait);
    this.#all.add(wait);
    this.wakeAt(wait.until);
    return undefined;
  }

  /** Removes it without an answer. */
  forget(wait: Wait): void {
    wait.peer.waits.delete(wait);
    this.#all.delete(wait);
  }

  /** Called when the peer has no pending lock any more. */
  answer(peer: Peer): void {
    for (const wait of peer.waits) this.#settle(wait, peer.acquired.has(wait.semaphore));
  }

  /** The peer was removed. */
  refuse(peer: Peer): void {
    for (const wait of peer.waits) this.#settle(wait, unknownPeer);
  }

  /** Answers all requests whose time ends at or before `now`. */
  end(now: number): void {
    for (let wait = this.#all.first; wait !== undefined; wait = this.#all.first) {
      if (wait.until > now) return;
      this.#settle(wait, false);
    }
  }

  #settle(wait: Wait, answer: Acquired): void {
    this.forget(wait);
    wait.settle(answer);
  }
}
