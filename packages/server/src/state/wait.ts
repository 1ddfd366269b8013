import { Heap } from '@headgate/core/shared';
import type { Peer } from './peer.ts';
import { type Refusal, tooManyWaits, unknownPeer } from './refusal.ts';
import type { Semaphore } from './semaphore.ts';

/** Whether the peer has what it asked for; false is also the answer when the time is up. */
export type Acquired = boolean | Refusal;

/** A request that is answered when its peer waits for nothing any more, or its own time is up. */
export class Wait {
  constructor(
    readonly peer: Peer,
    readonly semaphore: Semaphore,
    readonly until: number,
    /** Is called once, in the midst of a change: it must not ask the state for anything. */
    readonly settle: (answer: Acquired) => void,
  ) {}
}

/** All requests that are blocked, by when their time is up. */
export class Waits {
  readonly #all = new Heap<Wait>((wait) => wait.until);

  constructor(
    private readonly most: number,
    private readonly wakeAt: (instant: number) => void,
  ) {}

  get size(): number {
    return this.#all.size;
  }

  /** When the next one's time is up. */
  get next(): number {
    return this.#all.first?.until ?? Infinity;
  }

  add(wait: Wait): Refusal | undefined {
    if (this.size >= this.most) return tooManyWaits;
    wait.peer.waits.add(wait);
    this.#all.add(wait);
    this.wakeAt(wait.until);
    return undefined;
  }

  /** No answer follows. */
  forget(wait: Wait): void {
    wait.peer.waits.delete(wait);
    this.#all.delete(wait);
  }

  /** The peer waits for nothing any more. */
  answer(peer: Peer): void {
    for (const wait of peer.waits) this.#settle(wait, peer.acquired.has(wait.semaphore));
  }

  /** The peer is gone. */
  refuse(peer: Peer): void {
    for (const wait of peer.waits) this.#settle(wait, unknownPeer);
  }

  /** The time is up of those until this instant. */
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
