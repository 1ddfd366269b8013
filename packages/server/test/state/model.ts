/** A semaphore's full count and level. */
export interface ModelSemaphore {
  readonly max: number;
  readonly level: number;
}

interface ModelPeer {
  validUntil: number;
  readonly acquired: Map<string, number>;
  pending?: { semaphore: string; count: number; since: number; order: number } | undefined;
}

interface ModelWait {
  readonly peer: bigint;
  readonly semaphore: string;
  readonly until: number;
  readonly answers: (boolean | string)[];
}

/** A reference model of the state: simple and slow, it recomputes everything on each call. */
export class Model {
  now = 0;
  readonly peers = new Map<bigint, ModelPeer>();
  waits: ModelWait[] = [];
  /** Semaphores above their full count because of a restore or a lowered full count. */
  readonly overcommitted = new Set<string>();
  #order = 0;

  constructor(public semaphores: Record<string, ModelSemaphore>) {}

  sum(name: string, of: 'acquired' | 'pending'): number {
    let sum = 0;
    for (const { acquired, pending } of this.peers.values()) {
      if (of === 'acquired') sum += acquired.get(name) ?? 0;
      else if (pending?.semaphore === name) sum += pending.count;
    }
    return sum;
  }

  pass(milliseconds: number): void {
    this.now += milliseconds;
    const gone = [...this.peers].filter(([, { validUntil }]) => validUntil <= this.now);
    for (const [id] of gone) this.#drop(id);
    this.#grant();
    this.#settle(
      ({ until }) => until <= this.now,
      () => false,
    );
  }

  add(id: bigint, expiresIn: number, acquired: Iterable<[string, number]> = []): void {
    this.peers.set(id, { validUntil: this.now + expiresIn, acquired: new Map(acquired) });
    for (const name of Object.keys(this.semaphores)) this.#note(name);
  }

  remove(id: bigint): boolean {
    const isThere = this.peers.has(id);
    this.#drop(id);
    this.#grant();
    return isThere;
  }

  heartbeat(id: bigint, expiresIn: number): string | undefined {
    const peer = this.peers.get(id);
    if (peer === undefined) return 'Unknown peer';
    peer.validUntil = this.now + expiresIn;
    return undefined;
  }

  acquire(id: bigint, name: string, count: number, expiresIn?: number): boolean | string {
    const semaphore = this.semaphores[name];
    const peer = this.peers.get(id);
    if (semaphore === undefined) return 'Unknown semaphore';
    const held = peer?.acquired.get(name);
    if (count > semaphore.max && held !== count) return 'never';
    if (expiresIn !== undefined && peer === undefined) return 'Unknown peer';
    if (expiresIn !== undefined && peer !== undefined) peer.validUntil = this.now + expiresIn;
    if (count < 1) return 'count';
    if (peer === undefined) return 'Unknown peer';
    const demand = peer.pending?.semaphore === name ? peer.pending.count : held;
    if (demand !== undefined && count > demand) return 'hierarchy';
    if (demand !== undefined && count < demand) return 'shrinking';
    if (demand !== undefined) return peer.pending === undefined;
    const levels = [...peer.acquired.keys()].map((each) => this.semaphores[each]?.level ?? 0);
    if (Math.min(...levels) <= semaphore.level) return 'hierarchy';
    if (peer.pending !== undefined) return 'pending';
    // As the protocol says: a new request does not overtake pending locks.
    if (this.#canGrant(name, count)) peer.acquired.set(name, count);
    else peer.pending = { semaphore: name, count, since: this.now, order: this.#order++ };
    return peer.pending === undefined;
  }

  release(id: bigint, name: string): string | undefined {
    const peer = this.peers.get(id);
    if (this.semaphores[name] === undefined) return 'Unknown semaphore';
    if (peer === undefined) return 'Unknown peer';
    if (!peer.acquired.delete(name) && peer.pending?.semaphore === name) {
      peer.pending = undefined;
      this.#answer(id);
    }
    this.#grant();
    return undefined;
  }

  restore(id: bigint, locks: [string, number][], expiresIn: number): string | undefined {
    if (locks.some(([name]) => this.semaphores[name] === undefined)) return 'Unknown semaphore';
    if (locks.some(([, count]) => count < 1)) return 'count';
    const known = this.peers.get(id);
    if (known === undefined) {
      this.add(id, expiresIn, locks);
      return undefined;
    }
    const isSame =
      locks.length === known.acquired.size &&
      locks.every(([name, count]) => known.acquired.get(name) === count);
    if (!isSame || known.pending !== undefined) return 'restore';
    known.validUntil = this.now + expiresIn;
    return undefined;
  }

  configure(semaphores: Record<string, ModelSemaphore>): void {
    this.semaphores = semaphores;
    for (const name of Object.keys(semaphores)) this.#note(name);
    this.#grant();
  }

  wait(peer: bigint, semaphore: string, blockFor: number): void {
    this.waits.push({ peer, semaphore, until: this.now + blockFor, answers: [] });
  }

  /** The pending locks of one semaphore, in order of arrival. */
  queue(name: string): { id: bigint; count: number; since: number }[] {
    return [...this.peers]
      .flatMap(([id, { pending }]) => (pending?.semaphore === name ? [{ id, ...pending }] : []))
      .sort((a, b) => a.order - b.order);
  }

  #canGrant(name: string, count: number): boolean {
    const { max } = this.semaphores[name] as ModelSemaphore;
    // A count above the full count is skipped.
    const ahead = this.queue(name).filter((each) => each.count <= max);
    const demand = ahead.reduce((sum, each) => sum + each.count, this.sum(name, 'acquired'));
    return demand + count <= max;
  }

  #grant(): void {
    for (const [name, { max }] of Object.entries(this.semaphores)) {
      for (const { id, count } of this.queue(name)) {
        if (count > max) continue;
        if (this.sum(name, 'acquired') + count > max) break;
        const peer = this.peers.get(id) as ModelPeer;
        peer.pending = undefined;
        peer.acquired.set(name, count);
        this.#answer(id);
      }
      if (this.sum(name, 'acquired') <= max) this.overcommitted.delete(name);
    }
  }

  #note(name: string): void {
    const { max } = this.semaphores[name] as ModelSemaphore;
    if (this.sum(name, 'acquired') > max) this.overcommitted.add(name);
  }

  #drop(id: bigint): void {
    this.peers.delete(id);
    this.#settle(
      ({ peer }) => peer === id,
      () => 'Unknown peer',
    );
  }

  #answer(id: bigint): void {
    const held = this.peers.get(id)?.acquired;
    this.#settle(
      ({ peer }) => peer === id,
      ({ semaphore }) => held?.has(semaphore) ?? false,
    );
  }

  readonly settled: ModelWait[] = [];

  #settle(
    which: (wait: ModelWait) => boolean,
    answer: (wait: ModelWait) => boolean | string,
  ): void {
    for (const wait of this.waits.filter(which)) {
      wait.answers.push(answer(wait));
      this.settled.push(wait);
    }
    this.waits = this.waits.filter((wait) => !which(wait));
  }
}
