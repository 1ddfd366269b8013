import type { Clock } from '@headgate/core';
import type { LeaseRequest, LeaseVerb, Reply } from '@headgate/core/shared';
import { refused } from './failure.ts';
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

  do(verb: LeaseVerb, request: LeaseRequest, times: CallTimes): Promise<State> {
    if (verb === 'acquire') return this.#acquire(request, times);
    if (verb === 'stay') return this.#stay(request, times);
    if (verb === 'renew') return this.#renew(request, times);
    if (verb === 'register') return this.#register(request, times);
    if (verb === 'release') return this.#release(request, times);
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

  /** The service knows it no more. */
  gone({ id }: Waiting): void {
    const lease = this.#kept.get(id);
    if (lease === undefined) return;
    this.#kept.delete(id);
    this.#isForgotten(lease);
  }

  async #acquire(request: LeaseRequest, times: CallTimes): Promise<State> {
    const { id, wait } = request;
    const made = this.#made.get(id);
    this.#made.delete(id);
    await made;
    const lease = this.#kept.get(id) ?? this.#kept.add(request);
    if (await this.#asks(lease, this.#options.lease, times)) return this.#holds(lease);
    if (lease.waiting === undefined && wait <= 0) {
      await this.#release(request, times);
      return 'full';
    }
    const expiresIn = this.#expiryOf(lease, wait);
    if (expiresIn < this.#options.lease) await this.#prolong(lease, expiresIn, times);
    return this.#queues(lease);
  }

  async #stay(request: LeaseRequest, times: CallTimes): Promise<State> {
    const lease = this.#kept.get(request.id) ?? this.#kept.add(request);
    const expiresIn = this.#expiryOf(lease, request.wait);
    if (!(await this.#asks(lease, expiresIn, times))) return this.#queues(lease);
    if (expiresIn < this.#options.lease) await this.#prolong(lease, this.#options.lease, times);
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
    if (!this.#isForgotten(lease)) {
      this.#kept.delete(id);
      return 'lost';
    }
    const again = this.#now();
    await protocol.restore(lease.peer, new Map([[ref.name, lease.weight]]), length, times);
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
    const { peer } = this.#kept.get(id) ?? { peer: undefined };
    this.#kept.delete(id);
    this.#made.delete(id);
    return (await this.#options.protocol.remove(peer ?? peerOf(id), times)) ? 'ok' : 'lost';
  }

  /** Whether it is held by now. One that the service does not know joins the line at its tail. */
  async #asks(lease: KeptLease, expiresIn: number, times: CallTimes): Promise<boolean> {
    for (let isNew = !lease.isMade, turn = 0; turn < 2; turn++) {
      if (isNew) await this.#make(lease, times);
      const sent = this.#now();
      const { peer, weight: count, line } = lease;
      const ask = { peer, semaphore: line.semaphore, count, expiresIn };
      const outcome = await this.#options.protocol.acquire(ask, times);
      if (outcome !== 'unknown') {
        lease.hear(sent, expiresIn);
        return outcome === 'held';
      }
      this.#isForgotten(lease);
      lease.leave();
      isNew = true;
    }
    throw refused('the semaphore service forgets peers as soon as they are made');
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

  #queues(lease: KeptLease): 'queued' {
    lease.isHeld = false;
    lease.join();
    this.#options.waits(lease.line);
    return 'queued';
  }

  /** The service does not know it: whether that is because it has lost its state, not because the lease has run out. */
  #isForgotten({ heard, until }: KeptLease): boolean {
    const now = this.#now();
    if (now >= until) return false;
    if (heard > this.#toldAgain) {
      this.#toldAgain = now;
      this.#options.forgotten();
    }
    return true;
  }

  #now(): number {
    return this.#options.clock.now();
  }
}
