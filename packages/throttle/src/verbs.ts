import type { Clock } from '@headgate/core';
import type { LeaseRequest, LeaseVerb, Reply } from '@headgate/core/shared';
import { forgetful, refused } from './failure.ts';
import { type KeptLease, KeptLeases } from './kept.ts';
import type { Line, Waiting } from './line.ts';
import { peerOf } from './peer.ts';
import type { Protocol } from './protocol.ts';
import type { CallTimes } from './transport.ts';

export interface VerbsOptions {
  readonly protocol: Protocol;
  readonly clock: Clock;
  /** Milliseconds. */
  readonly lease: number;
  /** Somebody waits in this line from now on. */
  readonly waits: (line: Line) => void;
  /** This lease has been let in. */
  readonly granted: (id: string) => void;
  /** The service has lost its state: what else it knew is to be told again. */
  readonly forgotten: () => void;
}

type State = Reply['state'];

/** How an operation is done among others: how long it may take, and what waits for what. */
export interface Course extends CallTimes {
  /** What is to be done before it is answered, though those behind it need not wait for that. */
  later(work: Promise<unknown>): void;
  /** Does it after what is being done for the same semaphore; at once where that is what is being done. */
  inSequence<T>(id: string, work: () => Promise<T>): Promise<T>;
}

/** What is done with leases, in the words of the protocol: a peer for each. */
export class Verbs {
  readonly #options: VerbsOptions;
  readonly #kept = new KeptLeases();
  readonly #made = new Map<string, Promise<void>>();
  /** What was heard of before is being told again already. */
  #toldAgain = -Infinity;

  constructor(options: VerbsOptions) {
    this.#options = options;
  }

  /** Makes the peer of one that is about to be asked for, without waiting for those before it. */
  prepare(request: LeaseRequest, times: CallTimes): void {
    const known = this.#kept.get(request.id);
    if (known?.isMade) return;
    const made = this.#make(known ?? this.#kept.add(request), times);
    made.catch(() => {});
    this.#made.set(request.id, made);
  }

  do(verb: LeaseVerb, request: LeaseRequest, course: Course): Promise<State> {
    if (verb === 'acquire') return this.#acquire(request, course);
    if (verb === 'stay') return this.#stay(request, course);
    if (verb === 'renew') return this.#renew(request, course);
    if (verb === 'register') return this.#register(request, course);
    if (verb === 'release') return this.#release(request, course);
    throw refused('the semaphore service changes the count of no lock');
  }

  /** Unasked: it is in the line no more. */
  async granted({ id }: Waiting, times: CallTimes): Promise<void> {
    const lease = this.#kept.get(id);
    if (lease === undefined) return;
    this.#holds(lease);
    const ends = lease.heard + this.#options.lease;
    if (lease.until < ends) {
      // It was to die with its wait, and lives now as long as its process takes it to.
      const left = ends - this.#now();
      if (left <= 0 || !(await this.#options.protocol.heartbeat(lease.peer, left, times))) return;
      lease.until = ends;
    }
    this.#options.granted(id);
  }

  /** The service knows it no more. It may be joining the line anew already. */
  gone({ id }: Waiting): void {
    const lease = this.#kept.get(id);
    if (lease === undefined) return;
    lease.leave();
    this.#isForgotten(lease);
  }

  async #acquire(request: LeaseRequest, course: Course): Promise<State> {
    const { id, wait } = request;
    const made = this.#made.get(id);
    this.#made.delete(id);
    await made;
    const lease = this.#kept.get(id) ?? this.#kept.add(request);
    const mayWait = wait > 0 || lease.waiting !== undefined;
    if (await this.#asks(lease, this.#options.lease, course)) return this.#holds(lease);
    if (!mayWait) {
      await this.#release(request, course);
      return 'full';
    }
    const expiresIn = this.#expiryOf(lease, wait);
    // It is to die with its wait. Where that cannot be said, it dies with its lease.
    const shorten = async () => this.#prolong(lease, expiresIn, course).catch(() => {});
    if (expiresIn < this.#options.lease) course.later(shorten());
    return 'queued';
  }

  async #stay(request: LeaseRequest, course: Course): Promise<State> {
    const lease = this.#kept.get(request.id) ?? this.#kept.add(request);
    const expiresIn = this.#expiryOf(lease, request.wait);
    if (!(await this.#asks(lease, expiresIn, course))) return 'queued';
    if (expiresIn < this.#options.lease) await this.#prolong(lease, this.#options.lease, course);
    if (!lease.isHeld) this.#options.granted(lease.id);
    return this.#holds(lease);
  }

  async #renew({ id, ref }: LeaseRequest, times: CallTimes): Promise<State> {
    const { protocol, lease: length } = this.#options;
    const lease = this.#kept.get(id);
    if (!lease?.isHeld) return 'lost';
    const sent = this.#now();
    if (await protocol.heartbeat(lease.peer, length, times)) {
      lease.hear(sent, length);
      return 'held';
    }
    if (lease.heard > sent) return 'held';
    if (!this.#isForgotten(lease)) {
      this.#kept.delete(id);
      return 'lost';
    }
    const again = this.#now();
    const counts = new Map([[ref.name, lease.weight]]);
    lease.restored = protocol.restore(lease.peer, counts, length, times);
    await lease.restored;
    lease.hear(again, length);
    return 'held';
  }

  async #register(request: LeaseRequest, times: CallTimes): Promise<State> {
    const { protocol, lease: length } = this.#options;
    const lease = this.#kept.get(request.id) ?? this.#kept.add(request);
    const counts = new Map([[request.ref.name, request.weight]]);
    const sent = this.#now();
    if (!(await protocol.restore(lease.peer, counts, length, times))) {
      // It waits in the line.
      await protocol.remove(lease.peer, times);
      await protocol.restore(lease.peer, counts, length, times);
    } else if (lease.isHeld) {
      // The original service does not prolong one that is there already.
      await protocol.heartbeat(lease.peer, length, times);
    }
    lease.hear(sent, length);
    return this.#holds(lease);
  }

  async #release({ id }: LeaseRequest, times: CallTimes): Promise<State> {
    const lease = this.#kept.get(id);
    this.#kept.delete(id);
    this.#made.delete(id);
    // Else it might come after this, and hold it for nobody.
    await lease?.restored?.catch(() => {});
    return (await this.#options.protocol.remove(lease?.peer ?? peerOf(id), times)) ? 'ok' : 'lost';
  }

  /** Whether it is held by now; else it waits in the line. */
  async #asks(lease: KeptLease, expiresIn: number, course: Course): Promise<boolean> {
    const outcome = lease.isMade ? await this.#ask(lease, expiresIn, course) : 'unknown';
    if (outcome !== 'unknown') return outcome === 'held';
    // The order here is to be that of the service: one joins after the other.
    return course.inSequence(lease.id, async () => {
      if (!this.#isKept(lease)) return false;
      await this.#make(lease, course);
      const joined = await this.#ask(lease, expiresIn, course);
      if (joined !== 'unknown') return joined === 'held';
      throw forgetful();
    });
  }

  async #ask(lease: KeptLease, expiresIn: number, times: CallTimes) {
    const sent = this.#now();
    const { peer, weight: count, line } = lease;
    const ask = { peer, semaphore: line.semaphore, count, expiresIn };
    const outcome = await this.#options.protocol.acquire(ask, times);
    if (outcome === 'unknown') {
      // It was made again while this answer was under way: its place in the line stays.
      if (lease.heard > sent) return lease.isHeld ? 'held' : 'pending';
      this.#isForgotten(lease);
      lease.leave();
      lease.isHeld = false;
      return outcome;
    }
    lease.hear(sent, expiresIn);
    // That it was let in may have been told while this answer was under way.
    if (outcome === 'held' || lease.isHeld) return 'held';
    lease.join();
    this.#options.waits(lease.line);
    return outcome;
  }

  async #make(lease: KeptLease, times: CallTimes): Promise<void> {
    const { protocol, lease: length } = this.#options;
    const sent = this.#now();
    await protocol.restore(lease.peer, new Map(), length, times);
    lease.hear(sent, length);
  }

  /** Milliseconds that it lives without being asked for again. */
  #expiryOf({ isHeld }: KeptLease, wait: number): number {
    const { lease: length } = this.#options;
    return isHeld || wait <= 0 ? length : Math.min(length, wait);
  }

  async #prolong(lease: KeptLease, expiresIn: number, times: CallTimes): Promise<void> {
    const sent = this.#now();
    if (await this.#options.protocol.heartbeat(lease.peer, expiresIn, times)) {
      lease.hear(sent, expiresIn);
    } else this.#isForgotten(lease);
  }

  #holds(lease: KeptLease): 'held' {
    lease.leave();
    lease.isHeld = true;
    return 'held';
  }

  /** The service does not know it: whether that is because it has lost its state, not because the lease has run out. */
  #isForgotten(lease: KeptLease): boolean {
    const { heard, until } = lease;
    const now = this.#now();
    if (now >= until || !this.#isKept(lease)) return false;
    if (heard > this.#toldAgain) {
      this.#toldAgain = now;
      this.#options.forgotten();
    }
    return true;
  }

  /** Else it was given back while something else was asked for it: who made it again would hold it for nobody. */
  #isKept(lease: KeptLease): boolean {
    return this.#kept.get(lease.id) === lease;
  }

  #now(): number {
    return this.#options.clock.now();
  }
}
