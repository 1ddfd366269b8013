import { Heap } from './heap.ts';
import { type Refusal, tooManyPeers } from './refusal.ts';
import type { Peer } from './semaphore.ts';

/** All peers, indexed by id and by expiry. */
export class Peers {
  readonly #byId = new Map<bigint, Peer>();
  readonly #expiries = new Heap<Peer>((peer) => peer.validUntil);

  constructor(
    private readonly max: number,
    private readonly wakeAt: (instant: number) => void,
  ) {}

  get size(): number {
    return this.#byId.size;
  }

  /** The number of tracked expiries, which equals the number of peers. For tests. */
  get expiries(): number {
    return this.#expiries.size;
  }

  /** When the next peer expires; Infinity if there is none. */
  get next(): number {
    return this.#expiries.first?.validUntil ?? Infinity;
  }

  get(id: bigint): Peer | undefined {
    return this.#byId.get(id);
  }

  ids(): Iterable<bigint> {
    return this.#byId.keys();
  }

  add(peer: Peer): Refusal | undefined {
    if (this.size >= this.max) return tooManyPeers;
    this.#byId.set(peer.id, peer);
    this.renew(peer, peer.validUntil);
    return undefined;
  }

  /** Sets when the peer expires, which may be earlier than before. */
  renew(peer: Peer, validUntil: number): void {
    peer.validUntil = validUntil;
    this.#expiries.add(peer);
    this.wakeAt(validUntil);
  }

  delete(peer: Peer): void {
    this.#byId.delete(peer.id);
    this.#expiries.delete(peer);
  }

  /** A peer that has expired by `now`, if any. */
  due(now: number): Peer | undefined {
    return this.next <= now ? this.#expiries.first : undefined;
  }
}
