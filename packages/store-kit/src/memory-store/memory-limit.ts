import type { LeaseRequest, LeaseVerb, Op, Reply, StoreStats } from '../contract.ts';
import { renewalPart } from '../lease/lease.ts';
import { type Journal, LeaseTable } from './lease-table.ts';
import {
  declareLimit,
  type LimitMemory,
  operateLimit,
  pauseLeft,
  pauseLimit,
} from './limit-memory.ts';
import { MemoryLease } from './memory-lease.ts';

/** The time of an operation, and the lease duration of its caller. */
export interface Moment {
  /** Milliseconds. */
  readonly now: number;
  /** The same in microseconds. */
  readonly micros: number;
  /** Duration of the caller's leases in milliseconds. */
  readonly leaseDuration: number;
}

/** Notifies the processes of holders and waiters. */
export interface Notifier {
  granted(lease: MemoryLease): void;
  recall(owner: string): void;
  /** Called when an operation has changed how the limit is operated. These processes have leases. */
  operated(owners: Iterable<string>): void;
}

/** The state of one limit, or of one of its keys, with the rules of the store contract. All methods are synchronous. */
export class MemoryLimit {
  readonly #leases: LeaseTable;
  /** The time of the latest call. At first unknown: saved leases may be from a clock that was ahead. */
  #now = Infinity;

  constructor(
    private readonly notifier: Notifier,
    /** Its state, which can be saved. */
    readonly memory: LimitMemory,
    journal?: Journal,
    leases?: Iterable<MemoryLease>,
  ) {
    this.#leases = new LeaseTable(journal, leases);
  }

  /** Executes an operation. */
  do(op: Op, moment: Moment): Reply {
    this.memory.longestLease = Math.max(this.memory.longestLease, moment.leaseDuration);
    const request = op.verb === 'declare' ? undefined : op.lease;
    this.#declare(op, moment);
    this.#dropExpired(moment.now);
    const { unreported: reclaimed = 0 } = this.memory;
    this.memory.unreported = undefined;
    // Grants waiters first, so that a new request does not queue behind waiters that already fit.
    this.#grantQueued(moment);
    const done = op.verb === 'declare' ? 'ok' : this.#apply(op.verb, op.lease, moment);
    this.#grantQueued(moment, request?.id);
    return this.#reply(done, request?.id, reclaimed, moment);
  }

  /** Returns the state of the limit. */
  stats(moment: Moment): StoreStats {
    this.#dropExpired(moment.now);
    this.#grantQueued(moment);
    const { first } = this.#leases;
    const { limit, version } = this.memory;
    return {
      limit,
      // The version is 0 until the limit is declared.
      version: version === 0 ? '' : String(version),
      inflight: this.#leases.inflight,
      holders: this.#leases.size - this.#leases.queued,
      processes: this.#leases.owners.length,
      queued: this.#leases.queued,
      longestWait: first === undefined ? 0 : Math.max(0, moment.micros - first.place) / 1000,
    };
  }

  /**
   * Removes expired leases, and grants the queued leases that then fit. The next answer contains the number of removed
   * ones.
   */
  expire(moment: Moment): void {
    this.#dropExpired(moment.now);
    this.#grantQueued(moment);
  }

  /** Number of leases, held and queued. */
  get size(): number {
    return this.#leases.size;
  }

  /** Whether it has a lease of this id. */
  has(id: string): boolean {
    return this.#leases.get(id) !== undefined;
  }

  /** When the next lease expires; Infinity without leases. */
  get nextExpiry(): number {
    return this.#leases.nextExpiry;
  }

  #declare(op: Op, { now }: Moment): void {
    const ref = op.verb === 'declare' ? op.ref : op.lease.ref;
    declareLimit(this.memory, ref, now);
    const { change, pause } = op.verb === 'declare' ? op : {};
    const isChanged = operateLimit(this.memory, ref.operated, change, now);
    if (pause !== undefined) pauseLimit(this.memory, pause, now);
    if (isChanged || pause !== undefined) this.notifier.operated(this.#leases.owners);
  }

  #dropExpired(now: number): void {
    const { memory } = this;
    if (now < this.#now) this.#clampEnds(now + memory.longestLease);
    this.#now = now;
    for (;;) {
      const lease = this.#leases.expired(now);
      if (lease === undefined) return;
      if (lease.isHeld) memory.unreported = (memory.unreported ?? 0) + 1;
      this.#leases.remove(lease);
    }
  }

  /** Called when the clock was set back: no lease can end later than this. */
  #clampEnds(latest: number): void {
    for (const lease of this.#leases.all()) {
      if (lease.ends > latest) this.#leases.change(lease, () => lease.clamp(latest));
    }
  }

  /**
   * Grants leases in order of arrival, and stops at the first that does not fit. Notifies the processes of the granted
   * leases, except that of `asking`, which receives an answer.
   */
  #grantQueued(moment: Moment, asking?: string): void {
    for (let { first } = this.#leases; first !== undefined; { first } = this.#leases) {
      if (!this.#fits(first.weight)) return;
      this.#hold(first, moment);
      if (first.id !== asking) this.notifier.granted(first);
    }
  }

  get #status() {
    return this.memory.operated?.status ?? 'open';
  }

  /** A lease heavier than a lowered limit fits if nothing else is held. */
  #fits(weight: number): boolean {
    const { inflight } = this.#leases;
    if (this.#status !== 'open') return false;
    if (this.memory.operated?.mode === 'shadow') return true;
    if (pauseLeft(this.memory, this.#now) > 0) return false;
    return inflight === 0 || inflight + weight <= this.memory.limit;
  }

  #apply(verb: LeaseVerb, request: LeaseRequest, moment: Moment): Reply['state'] {
    const lease = this.#leases.get(request.id);
    if (verb === 'acquire') return this.#acquire(request, lease, moment);
    if (verb === 'stay') return this.#stay(request, lease, moment);
    if (verb === 'release') {
      if (lease === undefined) return 'lost';
      this.#leases.remove(lease);
      return 'ok';
    }
    if (lease?.isHeld) {
      // A renewal sets the weight too, since the `resize` that changed it may have been lost.
      this.#leases.change(lease, () => {
        lease.weight = request.weight;
      });
      if (verb !== 'resize') this.#refresh(lease, request, moment);
      return 'held';
    }
    if (verb === 'register') return this.#admit(request, moment);
    if (verb === 'renew' && this.#hasLost(request.fencing)) return this.#admit(request, moment);
    return 'lost';
  }

  #acquire(request: LeaseRequest, lease: MemoryLease | undefined, moment: Moment) {
    if (lease !== undefined) return this.#refresh(lease, request, moment);
    if (this.#leases.queued === 0 && this.#fits(request.weight)) {
      return this.#admit({ ...request, fencing: undefined }, moment);
    }
    const isFull = request.wait <= 0 || this.#leases.queued >= request.queueLimit;
    if (isFull || this.#status === 'rejecting') return 'full';
    return this.#join(request, moment);
  }

  #stay(request: LeaseRequest, lease: MemoryLease | undefined, moment: Moment) {
    if (lease === undefined) return this.#join(request, moment, request.place);
    const state = this.#refresh(lease, request, moment);
    if (state === 'queued') this.#recall();
    return state;
  }

  /** Whether the store has lost the state that issued this token, or returned to an earlier one. */
  #hasLost(token: bigint | undefined): boolean {
    return token !== undefined && (token < this.memory.born || token > this.memory.lastToken);
  }

  #refresh(lease: MemoryLease, request: LeaseRequest, moment: Moment): 'held' | 'queued' {
    this.#leases.change(lease, () => lease.refresh(request, moment.leaseDuration, moment.now));
    return lease.isHeld ? 'held' : 'queued';
  }

  #join(request: LeaseRequest, moment: Moment, place?: string): 'queued' {
    const lease = new MemoryLease(request.id, request.weight);
    lease.place =
      place === undefined ? Math.max(moment.micros, this.memory.lastPlace + 1) : Number(place);
    this.memory.lastPlace = Math.max(this.memory.lastPlace, lease.place);
    lease.refresh(request, moment.leaseDuration, moment.now);
    this.#leases.add(lease);
    if (this.#leases.queued === 1 && !this.#fits(lease.weight)) this.#recall();
    return 'queued';
  }

  /** Holds the lease even beyond the limit. Keeps its token, or assigns a new one. */
  #admit(request: LeaseRequest, moment: Moment): 'held' {
    const waiting = this.#leases.get(request.id);
    if (waiting !== undefined) this.#leases.remove(waiting);
    const lease = new MemoryLease(request.id, request.weight);
    lease.refresh(request, moment.leaseDuration, moment.now);
    this.#leases.add(lease);
    this.#hold(lease, moment, request.fencing);
    return 'held';
  }

  #hold(lease: MemoryLease, { micros }: Moment, fencing?: bigint): void {
    const token = fencing ?? max(this.memory.lastToken + 1n, BigInt(micros));
    this.memory.lastToken = max(this.memory.lastToken, token + BigInt(lease.extraTokens));
    this.#leases.change(lease, () => {
      lease.fencing = token;
      // The grant does not renew the lease, since its process may have died while the lease was queued.
      lease.expires = lease.ends;
    });
  }

  #recall(): void {
    for (const owner of this.#leases.reserving) this.notifier.recall(owner);
  }

  #reply(done: Reply['state'], id = '', reclaimed: number, moment: Moment): Reply {
    const { memory } = this;
    const lease = this.#leases.get(id);
    const state = lease?.isHeld && done !== 'lost' ? 'held' : done;
    return {
      state,
      fencing: state === 'held' ? lease?.fencing : undefined,
      place: state === 'queued' ? String(lease?.place) : undefined,
      inflight: this.#leases.inflight,
      queued: this.#leases.queued,
      limit: memory.limit,
      version: String(memory.version),
      declared: memory.declared,
      operated: memory.operated,
      pausedFor: pauseLeft(memory, moment.now) || undefined,
      checkIn: this.#checkIn(moment),
      reclaimed,
    };
  }

  #checkIn({ now, leaseDuration }: Moment): number {
    // Waiters call again by then in any case, to renew their leases.
    const renewal = leaseDuration * renewalPart;
    if (this.#leases.queued === 0) return renewal;
    const paused = pauseLeft(this.memory, now) || Infinity;
    return Math.min(Math.min(this.#leases.nextHeldExpiry - now, paused) + 1, renewal);
  }
}

function max(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}
