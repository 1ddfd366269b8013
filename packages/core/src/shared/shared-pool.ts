import { throwLater } from '../errors.ts';
import { nextArrival } from '../limiter/line.ts';
import type { BasePermit } from '../limiter/permit.ts';
import type { RejectionCause, RejectionReason } from '../limiter/rejection.ts';
import type { StoreError } from '../limiter/store-error.ts';
import type { Waiter } from '../limiter/waiter.ts';
import { Admission } from './admission.ts';
import { Callers } from './callers.ts';
import { Holdings } from './holdings.ts';
import { Lease } from './lease.ts';
import type { SharedPools } from './shared-pools.ts';
import { Standings } from './standings.ts';
import type { Answer, LeaseVerb, Reply, Standing } from './store.ts';

/** What this process holds and awaits under a shared limit: one for the whole limiter, or one for each key in use here. */
export class SharedPool {
  readonly callers = new Callers();
  readonly standings: Standings;
  readonly holdings: Holdings;
  readonly admission: Admission;

  constructor(
    readonly home: SharedPools,
    readonly key: string | undefined,
    own: number | undefined,
  ) {
    this.standings = new Standings(this, own);
    this.holdings = new Holdings(this);
    this.admission = new Admission(this);
  }

  /** Lets somebody in who comes while a lease lies idle here. */
  admitsAtOnce(waiter: Waiter): boolean {
    const lease = this.holdings.takeIdle(waiter.weight);
    if (lease !== undefined) this.admission.admit(waiter, lease);
    return lease !== undefined;
  }

  /** Asks the store for somebody. */
  ask(waiter: Waiter, timeout: number): void {
    const lease = this.await(waiter, timeout);
    const mayWait = this.home.timeLeft(waiter) > 0;
    if (!mayWait || this.callers.sent < this.#mostSent) this.#send(lease);
    else if (this.home.queued >= this.home.queueLimit || !this.queues(lease)) {
      this.reject(waiter, 'full');
    }
  }

  /** Somebody begins to wait, though not at the store yet. */
  await(waiter: Waiter, timeout: number): Lease {
    const { clock, deadlines, session } = this.home;
    // A gate's request brings its own place in the order and its own deadline.
    if (waiter.arrival === 0) {
      const now = clock.now();
      waiter.arrival = nextArrival();
      waiter.since = Math.floor(now);
      waiter.deadline = 0;
      if (timeout > 0) deadlines.add(waiter, now, timeout);
    }
    this.keep();
    const lease = new Lease(this, session.newId(), waiter.weight);
    this.callers.add(waiter, lease);
    return lease;
  }

  /** It must wait in line; false where it would not. */
  queues(lease: Lease): boolean {
    const { caller, isCounted } = lease;
    if (isCounted || caller === undefined) return caller !== undefined;
    if (!caller.queues() || caller.place !== lease) return false;
    lease.isCounted = true;
    this.home.queued++;
    this.home.tally.queued(lease.weight, this.home.queued);
    return true;
  }

  /** What the store says to `acquire`, `stay`, `renew`, `register` or `resize`. */
  answered(lease: Lease, verb: LeaseVerb, answer: Answer, sent: number): void {
    if ('error' in answer) return this.#unanswered(lease, verb, answer.error);
    this.learn(answer);
    if (lease.state === 'over') return this.#answeredLate(lease, answer);
    if (answer.state === 'lost') return this.holdings.lost(lease);
    if (answer.state === 'full') {
      this.home.session.forget(lease);
      return this.#reject(lease, 'full');
    }
    // Does not prolong it.
    if (verb === 'resize') return;
    this.home.session.heard(lease, sent);
    if (answer.state === 'queued') this.#queued(lease, answer);
    else if (lease.state !== 'held') this.#holds(lease, answer.fencing);
  }

  /** The store has let it in. */
  granted(lease: Lease, fencing: bigint | undefined): void {
    const { session } = this.home;
    if (lease.state !== 'asking' && lease.state !== 'queued') return;
    // The news may be old: the lease is as good as what the store has last heard of it.
    if (this.holdings.isCertain(lease)) {
      session.heard(lease, lease.heard);
      this.#holds(lease, fencing);
    } else session.ask('stay', lease);
  }

  /** Whoever waits for this lease is let in without the store. */
  admitInstead(lease: Lease, local: BasePermit): void {
    const caller = this.leave(lease);
    this.home.session.release(lease);
    if (caller !== undefined) this.admission.admit(caller, undefined, local);
  }

  /** The store is back: those who wait go on there, and those who hold a lease make sure of it. */
  resume(): void {
    const { session } = this.home;
    this.holdings.renew();
    for (const lease of this.callers.leases()) {
      lease.standIn = undefined;
      if (lease.state === 'queued') session.ask('stay', lease);
      else if (lease.state === 'asking') session.ask('acquire', lease);
    }
    this.#sendNext();
  }

  /** Others wait at the store. */
  recalled(): void {
    this.standings.othersWait();
    this.holdings.returnIdle();
  }

  learn(standing: Standing): void {
    this.standings.learn(standing);
    this.home.fallback.tellOf(this);
    const first = this.callers.first?.place as Lease | undefined;
    if (first?.state === 'queued') this.#checkSoon(first);
  }

  withdraw(waiter: Waiter): void {
    const lease = waiter.place as Lease;
    this.leave(lease);
    this.home.session.release(lease);
    this.home.tally.withdrawn(waiter);
    this.settle();
  }

  /** For want of the store. */
  rejectFor(waiter: Waiter, error: StoreError | undefined): void {
    this.reject(waiter, 'store', { limit: this.home.name, error });
  }

  reject(waiter: Waiter, reason: RejectionReason, cause?: RejectionCause): void {
    this.#reject(waiter.place as Lease, reason, cause);
  }

  /** Its time is up. */
  late(waiter: Waiter): void {
    const lease = waiter.place as Lease;
    // Who has waited in line has had an answer, or was behind others here: the store may have been asked only now.
    const isUnheard = lease.state === 'asking' && !lease.isCounted && lease.standIn === undefined;
    if (isUnheard) this.home.fallback.takeLate(lease);
    else this.reject(waiter, 'timeout');
  }

  rejectNewcomer(waiter: Waiter, reason: RejectionReason, cause?: RejectionCause): void {
    const rejection = { ...this.standings.rejection(waiter, reason), ...cause };
    this.home.tally.rejected(rejection);
    waiter.rejected(rejection);
  }

  /** How many leases are asked for at once: where permits pass from hand to hand, as many as can be held. */
  get #mostSent(): number {
    return this.home.settings.handoff > 0 ? this.standings.limit : Infinity;
  }

  #send(lease: Lease): void {
    const caller = this.callers.remove(lease) as Waiter;
    lease.state = 'asking';
    lease.heard = this.home.session.store.clock.now();
    this.callers.add(caller, lease);
    this.home.session.ask('acquire', lease);
  }

  #sendNext(): void {
    const { callers, home } = this;
    if (home.closed || home.circuit.error !== undefined) return;
    for (
      let { firstUnsent } = callers;
      firstUnsent !== undefined;
      firstUnsent = callers.firstUnsent
    ) {
      if (callers.sent >= this.#mostSent) return;
      this.#send(firstUnsent.place as Lease);
    }
  }

  #answeredLate(lease: Lease, { state }: Reply): void {
    if (state === 'held' || state === 'queued') this.home.session.releaseLate(lease);
  }

  #queued(lease: Lease, { place }: Reply): void {
    // Let in meanwhile: the grant has overtaken this answer.
    if (lease.state === 'held') return;
    lease.place = place;
    lease.state = 'queued';
    const { store } = this.home.session;
    const hasRoom = store.can.queueLimit || this.home.queued < this.home.queueLimit;
    if (!hasRoom || !this.queues(lease)) return this.#reject(lease, 'full');
    this.prolong(lease);
    this.#checkSoon(lease);
  }

  /** Who waits for it now may do so for longer than the store was told: it is told before it drops it. */
  prolong(lease: Lease): void {
    const { caller, state, waitsUntil, renewAt } = lease;
    if (caller === undefined || state !== 'queued') return;
    const { home } = this;
    const { clock, lease: length } = home.session.store;
    // Both are rounded up to a whole millisecond.
    if (clock.now() + home.timeLeft(caller) <= waitsUntil + 1) return;
    const due = waitsUntil - length / 24;
    if (due < renewAt) home.session.renewBy(lease, due);
  }

  #checkSoon(lease: Lease): void {
    const { checkAt } = this.standings;
    if (checkAt < lease.renewAt && this.callers.first === lease.caller) {
      this.home.session.renewBy(lease, checkAt);
    }
  }

  #unanswered(lease: Lease, verb: LeaseVerb, error: StoreError): void {
    const { home } = this;
    home.failed(this.key, error);
    if (lease.state === 'over') return;
    const { permit } = lease;
    if (verb === 'register' && permit !== undefined) {
      this.holdings.delete(lease);
      home.session.release(lease);
      permit.lease = undefined;
      home.fallback.addAgain(permit);
    } else if (verb === 'acquire' || verb === 'stay') home.fallback.take(lease, error);
  }

  #holds(lease: Lease, fencing: bigint | undefined): void {
    lease.state = 'held';
    lease.fencing = fencing;
    lease.since = this.home.session.store.clock.now();
    lease.uses = 0;
    this.holdings.add(lease);
    if (lease.permit === undefined) this.admission.pass(lease);
  }

  #reject(lease: Lease, reason: RejectionReason, cause?: RejectionCause): void {
    const caller = this.leave(lease);
    this.home.session.release(lease);
    if (caller !== undefined) this.tell(caller, reason, cause);
    this.settle();
  }

  tell(caller: Waiter, reason: RejectionReason, cause?: RejectionCause): void {
    try {
      this.rejectNewcomer(caller, reason, cause);
    } catch (error) {
      throwLater(error);
    }
  }

  /** Its caller waits no longer; what becomes of the lease is another's to say. */
  leave(lease: Lease): Waiter | undefined {
    const { home } = this;
    const caller = this.callers.remove(lease);
    if (caller === undefined) return undefined;
    home.deadlines.remove(caller);
    if (lease.isCounted) home.queued--;
    lease.isCounted = false;
    home.fallback.withdraw(lease);
    lease.standIn = undefined;
    return caller;
  }

  keep(): void {
    if (this.key !== undefined) this.home.keep(this, this.key);
  }

  /** Perhaps nobody needs the pool any more. */
  settle(): void {
    this.#sendNext();
    const isIdle =
      this.admission.inflight === 0 && this.holdings.size === 0 && this.callers.length === 0;
    if (isIdle && this.key !== undefined) this.home.forget(this, this.key);
  }
}
