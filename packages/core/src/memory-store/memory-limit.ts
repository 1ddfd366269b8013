import type {
  LeaseRequest,
  LeaseVerb,
  LimitRef,
  Op,
  Reply,
  StoreStats,
} from '../distributed/contract.ts';
import { renewalPart } from '../distributed/lease/lease.ts';
import { MemoryLease } from './memory-lease.ts';

/** The time of an operation, and the lease duration of its caller. */
export interface Moment {
  /** Milliseconds. */
  readonly now: number;
  /** The same in microseconds. */
  readonly micros: number;
  /** Duration of the caller's leases in milliseconds. */
  readonly lease: number;
}

/** Sends messages to the processes of holders and waiters. */
export interface Post {
  granted(lease: MemoryLease): void;
  recall(owner: string): void;
}

/** The leases and the queue of one limit, or of one of its keys. Entirely synchronous. */
export class MemoryLimit {
  #limit = 0;
  #version = 0;
  #inflight = 0;
  /** Longest lease duration of any caller: determines how long the limit is remembered. */
  longestLease = 0;
  #lastToken = 0n;
  #lastPlace = 0;
  /** Held and queued ones. */
  readonly #leases = new Map<string, MemoryLease>();
  /** Sorted by place. */
  readonly #queue: MemoryLease[] = [];
  /** Number of held leases per process that may be idle. */
  readonly #reserving = new Map<string, number>();
  readonly #born: bigint;

  constructor(
    micros: number,
    private readonly post: Post,
  ) {
    this.#born = BigInt(micros);
  }

  do(op: Op, moment: Moment): Reply {
    this.longestLease = Math.max(this.longestLease, moment.lease);
    this.#declare(op.verb === 'setLimit' ? { ...op.ref, version: '' } : op.lease.ref, moment);
    const reclaimed = this.#dropExpired(moment.now);
    // Grants first, so that a new request does not queue behind waiters that fit by now.
    this.#grantQueued(moment);
    const asking = op.verb === 'setLimit' ? undefined : op.lease.id;
    const done = op.verb === 'setLimit' ? 'ok' : this.#apply(op.verb, op.lease, moment);
    this.#grantQueued(moment, asking);
    return { ...this.#answer(done, asking), ...this.#standing(moment), reclaimed };
  }

  stats(moment: Moment): StoreStats {
    this.#dropExpired(moment.now);
    this.#grantQueued(moment);
    const [first] = this.#queue;
    return {
      limit: this.#limit,
      version: String(this.#version),
      inflight: this.#inflight,
      holders: this.#leases.size - this.#queue.length,
      queued: this.#queue.length,
      longestWait: first === undefined ? 0 : Math.max(0, moment.micros - first.place) / 1000,
    };
  }

  /** The highest version wins; a new declaration gets the highest. */
  #declare({ limit, version }: LimitRef, { now }: Moment): void {
    const declared = version === '' && limit !== this.#limit;
    const latest = declared ? Math.max(Math.floor(now), this.#version + 1) : Number(version);
    if (!(latest > this.#version)) return;
    this.#limit = limit;
    this.#version = latest;
  }

  #dropExpired(now: number): number {
    let reclaimed = 0;
    for (const lease of this.#leases.values()) {
      if (lease.expires > now) continue;
      if (lease.isHeld) reclaimed++;
      this.#remove(lease);
    }
    return reclaimed;
  }

  /**
   * Grants in order of arrival, never past a waiter that does not fit. The lease `asking` gets an answer, not a
   * message.
   */
  #grantQueued(moment: Moment, asking?: string): void {
    for (let [first] = this.#queue; first !== undefined; [first] = this.#queue) {
      if (!this.#fits(first.weight)) return;
      this.#hold(first, moment);
      if (first.id !== asking) this.post.granted(first);
    }
  }

  /** A lease heavier than a lowered limit fits if nothing else is held. */
  #fits(weight: number): boolean {
    return this.#inflight === 0 || this.#inflight + weight <= this.#limit;
  }

  #apply(verb: LeaseVerb, request: LeaseRequest, moment: Moment): Reply['state'] {
    const lease = this.#leases.get(request.id);
    if (verb === 'acquire') return this.#acquire(request, lease, moment);
    if (verb === 'stay') return this.#stay(request, lease, moment);
    if (verb === 'release') {
      if (lease === undefined) return 'lost';
      this.#remove(lease);
      return 'ok';
    }
    if (lease?.isHeld) {
      // Also on a renewal, since the `resize` itself may have been lost.
      this.#inflight += request.weight - lease.weight;
      lease.weight = request.weight;
      if (verb !== 'resize') this.#refresh(lease, request, moment);
      return 'held';
    }
    if (verb === 'register') return this.#admit(request, moment);
    if (verb === 'renew' && this.#hasLost(request.fencing)) return this.#admit(request, moment);
    return 'lost';
  }

  #acquire(request: LeaseRequest, lease: MemoryLease | undefined, moment: Moment) {
    if (lease !== undefined) return this.#refresh(lease, request, moment);
    if (this.#queue.length === 0 && this.#fits(request.weight)) {
      return this.#admit({ ...request, fencing: undefined }, moment);
    }
    if (request.wait <= 0 || this.#queue.length >= request.queueLimit) return 'full';
    return this.#join(request, moment);
  }

  #stay(request: LeaseRequest, lease: MemoryLease | undefined, moment: Moment) {
    if (lease === undefined) return this.#join(request, moment, request.place);
    const state = this.#refresh(lease, request, moment);
    if (state === 'queued') this.#recall();
    return state;
  }

  /** Whether the state has been lost or reset to an earlier one since this token was issued. */
  #hasLost(token: bigint | undefined): boolean {
    return token !== undefined && (token < this.#born || token > this.#lastToken);
  }

  #refresh(lease: MemoryLease, request: LeaseRequest, moment: Moment): 'held' | 'queued' {
    this.#reserve(lease, -1);
    lease.refresh(request, moment.lease, moment.now);
    this.#reserve(lease, 1);
    return lease.isHeld ? 'held' : 'queued';
  }

  #join(request: LeaseRequest, moment: Moment, place?: string): 'queued' {
    const lease = new MemoryLease(request.id, request.weight);
    lease.place =
      place === undefined ? Math.max(moment.micros, this.#lastPlace + 1) : Number(place);
    this.#lastPlace = Math.max(this.#lastPlace, lease.place);
    this.#leases.set(lease.id, lease);
    this.#refresh(lease, request, moment);
    const ahead = this.#queue.findLastIndex((other) => other.place <= lease.place);
    this.#queue.splice(ahead + 1, 0, lease);
    if (this.#queue.length === 1 && !this.#fits(lease.weight)) this.#recall();
    return 'queued';
  }

  /** Holds the lease even beyond the limit, with its existing token or a new one. */
  #admit(request: LeaseRequest, moment: Moment): 'held' {
    const waiting = this.#leases.get(request.id);
    if (waiting !== undefined) this.#remove(waiting);
    const lease = new MemoryLease(request.id, request.weight);
    lease.refresh(request, moment.lease, moment.now);
    this.#leases.set(lease.id, lease);
    this.#hold(lease, moment, request.fencing);
    return 'held';
  }

  #hold(lease: MemoryLease, { micros }: Moment, fencing?: bigint): void {
    this.#dequeue(lease);
    lease.fencing = fencing ?? max(this.#lastToken + 1n, BigInt(micros));
    this.#lastToken = max(this.#lastToken, lease.fencing + BigInt(lease.extraTokens));
    // Not renewed by the grant, since the process may have died while its lease was queued.
    lease.expires = lease.ends;
    this.#inflight += lease.weight;
    this.#reserve(lease, 1);
  }

  #remove(lease: MemoryLease): void {
    this.#leases.delete(lease.id);
    this.#dequeue(lease);
    if (lease.isHeld) this.#inflight -= lease.weight;
    this.#reserve(lease, -1);
  }

  #dequeue(lease: MemoryLease): void {
    const index = this.#queue.indexOf(lease);
    if (index >= 0) this.#queue.splice(index, 1);
  }

  #reserve({ isHeld, reserves, owner }: MemoryLease, change: number): void {
    if (!isHeld || !reserves) return;
    const count = (this.#reserving.get(owner) ?? 0) + change;
    if (count === 0) this.#reserving.delete(owner);
    else this.#reserving.set(owner, count);
  }

  #recall(): void {
    for (const owner of this.#reserving.keys()) this.post.recall(owner);
  }

  #answer(state: Reply['state'], id = ''): Pick<Reply, 'state' | 'fencing' | 'place'> {
    const lease = this.#leases.get(id);
    if (lease?.isHeld && state !== 'lost') return { state: 'held', fencing: lease.fencing };
    return state === 'queued' ? { state, place: String(lease?.place) } : { state };
  }

  #standing({ now, lease }: Moment): Omit<Reply, 'state' | 'reclaimed'> {
    // Waiters renew by then anyway.
    let checkIn = lease * renewalPart;
    if (this.#queue.length > 0) {
      for (const { isHeld, expires } of this.#leases.values()) {
        if (isHeld) checkIn = Math.min(expires - now + 1, checkIn);
      }
    }
    return {
      inflight: this.#inflight,
      queued: this.#queue.length,
      limit: this.#limit,
      version: String(this.#version),
      checkIn,
    };
  }
}

function max(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}
