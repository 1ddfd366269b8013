import { startTimer } from '../clock.ts';
import { HeadgateError } from '../errors.ts';
import type { StoreError } from '../semaphore/rejection.ts';
import { type Answered, Batch } from './batch.ts';
import type { DistributedSemaphore } from './distributed-semaphore.ts';
import type { Lease } from './lease.ts';
import { certainPart, renewalPart, retryPart, slackPart } from './lease-parts.ts';
import { Releases } from './releases.ts';
import type { Grant, LeaseVerb, LimitName, Op, Store, StoreListener } from './store.ts';
import { StoreWarnings } from './store-warnings.ts';

/** A limiter that receives the messages of a store. */
export interface Member {
  find(key: string | undefined): DistributedSemaphore | undefined;
  readonly name: string;
  /** The store may have become unavailable or available again: probe it. */
  doubted(): void;
  /** The store is available: register the permits that were granted without it. */
  notify(): void;
  slowed(reason: string | undefined): void;
  muted(error: StoreError | undefined): void;
}

/** The leases of this process at one store, renewed by one timer, which does not keep the process alive. */
export class Session implements StoreListener {
  /** Leases that the store may know. */
  readonly #leases = new Map<string, Lease>();
  readonly #members = new Set<Member>();
  readonly #batch: Batch;
  readonly releases: Releases;
  readonly warnings: StoreWarnings;
  /** How many times messages may have been missed. */
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

  /**
   * @throws HeadgateError if there is a limiter of this name: both would count as one limit, most likely by mistake.
   */
  join(member: Member): void {
    const { name } = member;
    if ([...this.#members].some((other) => other.name === name)) {
      const message = `the store has a limiter "${name}" in this process: reuse that one, or give them different names`;
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

  /** Sends a request about a lease; its semaphore receives the answer. */
  ask(verb: LeaseVerb, lease: Lease): void {
    this.#leases.set(lease.id, lease);
    lease.missed = this.missed;
    this.send({ verb, lease: lease.request() }, (answer, sent) =>
      lease.semaphore.replies.answered(lease, verb, answer, sent),
    );
  }

  send(op: Op, answered: Answered): void {
    if (!this.#listening) {
      this.#listening = true;
      this.store.listen(this);
    }
    this.#batch.add(op, answered);
  }

  /** The store has confirmed the lease: schedules its renewal. */
  heard(lease: Lease, sent: number): void {
    if (lease.state === 'over') return;
    lease.heard = sent;
    this.renewBy(lease, sent + this.#length(lease) * renewalPart);
  }

  renewBy(lease: Lease, at: number): void {
    lease.renewAt = at;
    this.wakeBy(at);
  }

  /** Until when a held lease certainly exists. */
  endOf(lease: Lease): number {
    return this.store.certainUntil(lease.heard);
  }

  /** The lease is no longer needed. */
  release(lease: Lease): void {
    const known = this.#leases.delete(lease.id);
    const isHeld = lease.state === 'held' && this.store.clock.now() < this.endOf(lease);
    lease.state = 'over';
    if (known) this.releases.add(lease, isHeld);
  }

  /** The store does not know the lease. */
  forget(lease: Lease): void {
    this.#leases.delete(lease.id);
    lease.state = 'over';
  }

  grant({ id, fencing }: Grant): void {
    const lease = this.#leases.get(id);
    if (lease !== undefined) lease.semaphore.replies.granted(lease, fencing);
  }

  recall({ name, key }: LimitName): void {
    for (const member of this.#members) if (member.name === name) member.find(key)?.recalled();
  }

  check(): void {
    this.missed++;
    const leases = [...this.#leases.values()];
    // The store may have lost its state: held leases must be known there before the queued ones.
    for (const member of this.#members) member.notify();
    for (const state of ['held', 'queued']) {
      for (const lease of leases) if (lease.state === state) this.#renew(lease);
    }
    // The store may now guarantee the leases for a shorter time.
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

  /** Sets the timer to this time, unless it is due earlier. */
  wakeBy(at: number): void {
    if (at < this.#wakeAt) this.#wake(at);
  }

  #renew(lease: Lease): void {
    // Retried if there is no answer.
    lease.renewAt = this.store.clock.now() + this.#length(lease) * retryPart;
    this.ask(lease.state === 'held' ? 'renew' : 'stay', lease);
  }

  /** Effective lease duration in milliseconds, which is shorter if the store may end leases early. */
  #length(lease: Lease): number {
    const { leaseDuration: whole } = this.store;
    const certain = this.endOf(lease) - lease.heard;
    return certain > 0 ? Math.min(certain / certainPart, whole) : whole;
  }

  #wake(at: number): void {
    const { clock } = this.store;
    this.#cancel();
    this.#wakeAt = at;
    this.#cancel = startTimer(clock, Math.max(0, at - clock.now()), () => this.#tend(), true);
  }

  /** Renews leases that are due or nearly due, so that they share round trips from then on. */
  #tend(): void {
    const { clock, leaseDuration: length } = this.store;
    const now = clock.now();
    this.#wakeAt = Infinity;
    let next = Infinity;
    for (const lease of [...this.#leases.values()]) {
      if (lease.state === 'held' && now >= this.endOf(lease))
        lease.semaphore.heldLeases.lost(lease);
      else if (lease.renewAt <= now + length * slackPart) this.#renew(lease);
      if (lease.state === 'held') next = Math.min(next, this.endOf(lease));
      if (lease.state !== 'over') next = Math.min(next, lease.renewAt);
    }
    this.releases.sendAgain();
    this.wakeBy(next);
  }
}
