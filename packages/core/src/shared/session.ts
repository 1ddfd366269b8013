import { startTimer } from '../clock.ts';
import { HeadgateError } from '../errors.ts';
import type { StoreError } from '../limiter/store-error.ts';
import { type Answered, Batch } from './batch.ts';
import type { Lease } from './lease.ts';
import { certainPart, renewalPart, retryPart, slackPart } from './lease-parts.ts';
import { Releases } from './releases.ts';
import type { SharedPool } from './shared-pool.ts';
import type { Grant, LeaseVerb, LimitName, Op, Store, StoreListener } from './store.ts';
import { StoreWarnings } from './store-warnings.ts';

/** Those who are told what a store says unasked. */
export interface Member {
  find(key: string | undefined): SharedPool | undefined;
  readonly name: string;
  /** Perhaps the store is away, or back: worth a question. */
  doubted(): void;
  /** The store is there, and is to know who was let in without it. */
  tell(): void;
  slowed(reason: string | undefined): void;
  muted(error: StoreError | undefined): void;
}

/** This process and one store: all leases are renewed by one timer, which keeps no process alive. */
export class Session implements StoreListener {
  /** Those that the store may know. */
  readonly #leases = new Map<string, Lease>();
  readonly #members = new Set<Member>();
  readonly #batch: Batch;
  readonly releases: Releases;
  readonly warnings: StoreWarnings;
  /** How often news may have been missed. */
  missed = 0;
  #wakeAt = Infinity;
  #cancel = () => {};
  #listening = false;
  #made = 0;

  constructor(readonly store: Store) {
    this.#batch = new Batch(store);
    this.releases = new Releases(this);
    this.warnings = new StoreWarnings(store.clock);
  }

  /** @throws HeadgateError where there is one of this name: both would count as one limit, most likely unawares. */
  join(member: Member): void {
    const { name } = member;
    if ([...this.#members].some((other) => other.name === name)) {
      const message = `the store has a limiter "${name}" in this process: share that one, or give them different names`;
      throw new HeadgateError('ERR_HEADGATE_DUPLICATE_NAME', message, 'name');
    }
    this.#members.add(member);
  }

  leave(member: Member): void {
    this.#members.delete(member);
    this.warnings.forget(member.name);
  }

  newId(): string {
    return `${this.store.owner}.${(this.#made++).toString(36)}`;
  }

  /** Asks for, or about, a lease; the pool is told the answer. */
  ask(verb: LeaseVerb, lease: Lease): void {
    this.#leases.set(lease.id, lease);
    lease.missed = this.missed;
    this.send({ verb, lease: lease.request() }, (answer, sent) =>
      lease.pool.replies.answered(lease, verb, answer, sent),
    );
  }

  send(op: Op, answered: Answered): void {
    if (!this.#listening) {
      this.#listening = true;
      this.store.listen(this);
    }
    this.#batch.add(op, answered);
  }

  /** The store has heard of it: it is good until a lease later, or for less where the store says so. */
  heard(lease: Lease, sent: number): void {
    if (lease.state === 'over') return;
    lease.heard = sent;
    this.renewBy(lease, sent + this.#length(lease) * renewalPart);
  }

  renewBy(lease: Lease, at: number): void {
    lease.renewAt = at;
    this.wakeBy(at);
  }

  /** Until when a held lease is certain. */
  endOf(lease: Lease): number {
    return this.store.certainUntil(lease.heard);
  }

  /** It is needed no longer. */
  release(lease: Lease): void {
    const known = this.#leases.delete(lease.id);
    const isHeld = lease.state === 'held' && this.store.clock.now() < this.endOf(lease);
    lease.state = 'over';
    if (known) this.releases.add(lease, isHeld);
  }

  /** The store knows nothing of it. */
  forget(lease: Lease): void {
    this.#leases.delete(lease.id);
    lease.state = 'over';
  }

  grant({ id, fencing }: Grant): void {
    const lease = this.#leases.get(id);
    if (lease !== undefined) lease.pool.replies.granted(lease, fencing);
  }

  recall({ name, key }: LimitName): void {
    for (const member of this.#members) if (member.name === name) member.find(key)?.recalled();
  }

  check(): void {
    this.missed++;
    const leases = [...this.#leases.values()];
    // The store may have forgotten all: who holds a place is to be there before those who wait for it.
    for (const member of this.#members) member.tell();
    for (const state of ['held', 'queued']) {
      for (const lease of leases) if (lease.state === state) this.#renew(lease);
    }
    // The leases may be certain for less by now.
    this.#tend();
  }

  state(up: boolean): void {
    for (const member of [...this.#members]) member.doubted();
    if (up) this.releases.sendAgain();
    this.#tend();
  }

  get isWaiting(): boolean {
    for (const { state } of this.#leases.values()) if (state === 'queued') return true;
    return false;
  }

  muted(error: StoreError | undefined): void {
    for (const member of [...this.#members]) member.muted(error);
  }

  slowed(reason: string | undefined): void {
    for (const member of [...this.#members]) member.slowed(reason);
  }

  /** What is due is done at this time at the latest. */
  wakeBy(at: number): void {
    if (at < this.#wakeAt) this.#wake(at);
  }

  #renew(lease: Lease): void {
    // Where no answer comes, it is tried again.
    lease.renewAt = this.store.clock.now() + this.#length(lease) * retryPart;
    this.ask(lease.state === 'held' ? 'renew' : 'stay', lease);
  }

  /** Milliseconds: less than a whole lease where the store says that it may end sooner. */
  #length(lease: Lease): number {
    const { lease: whole } = this.store;
    const certain = this.endOf(lease) - lease.heard;
    return certain > 0 ? Math.min(certain / certainPart, whole) : whole;
  }

  #wake(at: number): void {
    const { clock } = this.store;
    this.#cancel();
    this.#wakeAt = at;
    this.#cancel = startTimer(clock, Math.max(0, at - clock.now()), () => this.#tend(), true);
  }

  /** Renews what is due, or nearly so: leases that are renewed together travel together from then on. */
  #tend(): void {
    const { clock, lease: length } = this.store;
    const now = clock.now();
    this.#wakeAt = Infinity;
    let next = Infinity;
    for (const lease of [...this.#leases.values()]) {
      if (lease.state === 'held' && now >= this.endOf(lease)) lease.pool.holdings.lost(lease);
      else if (lease.renewAt <= now + length * slackPart) this.#renew(lease);
      if (lease.state === 'held') next = Math.min(next, this.endOf(lease));
      if (lease.state !== 'over') next = Math.min(next, lease.renewAt);
    }
    this.releases.sendAgain();
    this.wakeBy(next);
  }
}
