import { Heap } from '@headgate/core/shared';
import type { Peer } from './peer.ts';
import { type Refusal, tooManyPeers } from './refusal.ts';

/** All peers, by their ids, and by when they expire. */
export class Peers {
  readonly #byId = new Map<bigint, Peer>();
  readonly #expiries = new Heap<Peer>((peer) => peer.validUntil);

  constructor(
    private readonly most: number,
    private readonly wakeAt: (instant: number) => void,
  ) {}

  get size(): number {
    return this.#byId.size;
  }

  /** How many expiries are remembered: as many as there are peers. */
  get expiries(): number {
    return this.#expiries.size;
  }

  /** When the next one expires. */
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
    if (this.size >= this.most) return tooManyPeers;
    this.#byId.set(peer.id, peer);
    this.prolong(peer, peer.validUntil);
    return undefined;
  }

  /** Or shortens its life. */
  prolong(peer: Peer, validUntil: number): void {
    peer.validUntil = validUntil;
    this.#expiries.add(peer);
    this.wakeAt(validUntil);
  }

  delete(peer: Peer): void {
    this.#byId.delete(peer.id);
    this.#expiries.delete(peer);
  }

  /** One that has expired by now. */
  due(now: number): Peer | undefined {
    return this.next <= now ? this.#expiries.first : undefined;
  }
}
