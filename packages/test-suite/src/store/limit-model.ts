import {
  type LeaseRequest,
  type LimitRef,
  type Op,
  type OperatedChange,
  type OperatedState,
  type Reply,
  SET_NOW,
} from '@headgate/store-kit';

interface Lease {
  readonly id: string;
  weight: number;
  /** Number of earlier arrivals. */
  readonly arrival: number;
  /** When the lease ends: one lease duration after its latest operation. */
  ends: number;
  expires: number;
}

export interface Expected extends Pick<Reply, 'state' | 'reclaimed'> {
  readonly standing: Pick<Reply, 'inflight' | 'queued' | 'limit' | 'version' | 'declared'>;
  readonly operated: Operated & { readonly isPaused: boolean };
}

type Operated = Pick<OperatedState, 'status' | 'mode'>;

const initially: Operated = { status: 'open', mode: 'enforce' };

/** A reference model of one limit in a store, as simple as possible. */
export class LimitModel {
  readonly held: Lease[] = [];
  readonly queue: Lease[] = [];
  /** Leases that operations of other leases have granted. */
  readonly granted = new Set<string>();
  /** The leases in `granted` that were granted since this set was last cleared. */
  readonly newlyGranted = new Set<string>();
  /** Leases that were queued and then granted. */
  readonly admitted = new Set<string>();
  limit = 0;
  operated = initially;
  /** Whether it is paused, for longer than the test lasts. */
  isPaused = false;
  /** Index of the latest change of `operated`. */
  #operation = 0;
  readonly #operations: string[] = [''];
  /** The last two numbers that were declared, the latest one first. */
  #declared: readonly number[] = [];
  /** Whether the limit was declared when the state began, and has not changed since. */
  #isFirst = false;
  /** Index of the limit that applies. */
  #version = 0;
  /** Versions of the limits, in order. */
  readonly #declarations: string[] = [''];
  readonly #arrivals = new Map<string, number>();
  #arrived = 0;
  /** For each token: how often the state had been lost when the token was issued. */
  readonly #tokens = new Map<bigint, number>();
  #wiped = 0;

  get inflight(): number {
    return weightOf(this.held);
  }

  get holders(): number {
    return this.held.length;
  }

  get queued(): number {
    return this.queue.length;
  }

  get version(): string {
    return this.#declarations[this.#version] as string;
  }

  wipe(): void {
    this.held.length = 0;
    this.queue.length = 0;
    this.limit = 0;
    this.#declared = [];
    this.#version = 0;
    this.operated = initially;
    this.isPaused = false;
    this.#operation = 0;
    this.#wiped++;
  }

  waits(id: string): boolean {
    return this.queue.some((lease) => lease.id === id);
  }

  /**
   * Executes an operation and returns the expected reply. Reads from the actual reply only what the model cannot know.
   */
  do(op: Op, term: number, now: number, reply: Reply): Expected {
    const ref = op.verb === 'declare' ? op.ref : op.lease.ref;
    this.#declare(ref, reply);
    this.#adopt(ref.operated);
    if (op.verb === 'declare') this.#operate(op.change, reply);
    if (op.verb === 'declare' && op.pause !== undefined) this.isPaused = op.pause > 0;
    const reclaimed = this.#expire(now);
    const id = op.verb === 'declare' ? undefined : op.lease.id;
    this.#grantNext();
    const before = new Set(this.queue);
    let state = op.verb === 'declare' ? 'ok' : this.#apply(op.verb, op.lease, term, now);
    this.#grantNext(id);
    if (state === 'queued' && this.held.some((lease) => lease.id === id)) state = 'held';
    const joined = this.queue.find((lease) => lease.id === id && !before.has(lease));
    if (joined !== undefined && reply.place !== undefined) {
      this.#arrivals.set(reply.place, joined.arrival);
    }
    const { fencing } = reply;
    if (fencing !== undefined && !this.#tokens.has(fencing)) this.#tokens.set(fencing, this.#wiped);
    const { inflight, queued, limit, version } = this;
    const { status, mode } = this.operated;
    const standing = { inflight, queued, limit, version, declared: this.#declared };
    return { state, reclaimed, standing, operated: { status, mode, isPaused: this.isPaused } };
  }

  #adopt(operated: OperatedState | undefined): void {
    const known = this.#operations.indexOf(operated?.version ?? '');
    if (operated === undefined || known <= this.#operation) return;
    this.#operation = known;
    this.operated = operated;
    this.isPaused = false;
  }

  #operate(change: OperatedChange = {}, { operated }: Reply): void {
    if (Object.keys(change).length === 0) return;
    this.#operation = this.#operations.push(operated?.version ?? '') - 1;
    this.operated = { ...this.operated, ...change };
    this.isPaused = false;
  }

  #declare(ref: LimitRef, reply: Reply): void {
    const { limit, version } = ref;
    const known = this.#declarations.indexOf(version);
    const isNew = version === '' || version === SET_NOW;
    if (isNew ? !this.#isOld(ref) : known > 0 && known <= this.#version && this.#isLost(ref)) {
      this.#isFirst = version === '' && this.limit === 0;
      this.#version = this.#declarations.push(reply.version) - 1;
    } else if (known > this.#version) {
      this.#isFirst = false;
      this.#version = known;
    } else return;
    this.limit = limit;
    const { declared = [] } = ref;
    const [own] = declared;
    const earlier = this.#declared.filter((number) => number !== own);
    this.#declared = isNew && own !== undefined ? [own, ...earlier].slice(0, 2) : declared;
  }

  /** Whether declaring or setting this limit now changes nothing. */
  #isOld({ limit, version, declared: [own] = [] }: LimitRef): boolean {
    const [latest, before] = this.#declared;
    if (version === SET_NOW) return limit === this.limit && own === latest;
    const isSet = this.limit !== latest;
    return limit === latest || (isSet && limit === before);
  }

  /**
   * Whether the store has lost a limit that was set, and a starting process has declared a number that must not replace
   * it.
   */
  #isLost({ limit, declared = [] }: LimitRef): boolean {
    return this.#isFirst && limit !== declared[0] && declared.includes(this.limit);
  }

  #expire(now: number): number {
    const living = ({ expires }: Lease) => expires > now;
    const before = this.held.length;
    this.held.splice(0, before, ...this.held.filter(living));
    this.queue.splice(0, this.queue.length, ...this.queue.filter(living));
    return before - this.held.length;
  }

  #fits(weight: number): boolean {
    const { status, mode } = this.operated;
    if (status !== 'open' || mode === 'shadow') return status === 'open';
    if (this.isPaused) return false;
    return this.held.length === 0 || this.inflight + weight <= this.limit;
  }

  #grantNext(current?: string): void {
    this.queue.sort((one, other) => one.arrival - other.arrival);
    for (
      let [next] = this.queue;
      next !== undefined && this.#fits(next.weight);
      [next] = this.queue
    ) {
      this.queue.shift();
      this.held.push({ ...next, expires: next.ends });
      this.admitted.add(next.id);
      if (next.id === current) continue;
      this.granted.add(next.id);
      this.newlyGranted.add(next.id);
    }
  }

  #apply(verb: string, request: LeaseRequest, term: number, now: number): Reply['state'] {
    const held = this.held.find(({ id }) => id === request.id);
    const waiting = this.queue.find(({ id }) => id === request.id);
    if (verb === 'release') return this.#remove(held, waiting) ? 'ok' : 'lost';
    if (held !== undefined) {
      if (verb === 'resize') held.weight = request.weight;
      else held.expires = now + term;
      return 'held';
    }
    if (verb === 'resize') return 'lost';
    if (verb === 'register' || (verb === 'renew' && this.#isForgotten(request))) {
      this.#remove(undefined, waiting);
      this.#hold(request, term, now);
      return 'held';
    }
    if (verb === 'renew') return 'lost';
    if (waiting !== undefined) {
      waiting.ends = now + term;
      waiting.expires = now + Math.min(term, request.wait);
    } else if (verb === 'stay') this.#join(request, term, now);
    else return this.#acquire(request, term, now);
    return 'queued';
  }

  #acquire(request: LeaseRequest, term: number, now: number): Reply['state'] {
    const isFree = this.queue.length === 0 && this.#fits(request.weight);
    if (isFree) this.#hold(request, term, now);
    else if (request.wait === 0 || this.queue.length >= request.queueLimit) return 'full';
    else if (this.operated.status === 'rejecting') return 'full';
    else this.#join({ ...request, place: undefined }, term, now);
    return isFree ? 'held' : 'queued';
  }

  #hold({ id, weight }: LeaseRequest, term: number, now: number): void {
    this.held.push({ id, weight, arrival: 0, ends: now + term, expires: now + term });
  }

  #join({ id, weight, wait, place = '' }: LeaseRequest, term: number, now: number): void {
    const arrival = this.#arrivals.get(place) ?? ++this.#arrived;
    const [ends, expires] = [now + term, now + Math.min(term, wait)];
    this.queue.push({ id, weight, arrival, ends, expires });
  }

  #remove(held: Lease | undefined, waiting: Lease | undefined): boolean {
    if (held !== undefined) this.held.splice(this.held.indexOf(held), 1);
    if (waiting !== undefined) this.queue.splice(this.queue.indexOf(waiting), 1);
    return (held ?? waiting) !== undefined;
  }

  #isForgotten({ fencing }: LeaseRequest): boolean {
    return fencing !== undefined && (this.#tokens.get(fencing) ?? 0) < this.#wiped;
  }
}

function weightOf(leases: readonly Lease[]): number {
  return leases.reduce((sum, { weight }) => sum + weight, 0);
}
