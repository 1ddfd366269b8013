import { HeadgateError, type StoreError } from '@headgate/core';
import type { StoreActivity } from '@headgate/core/engine';
import { outsideRequest } from '@headgate/core/engine';
import type {
  Answer,
  Grant,
  LeaseStore,
  LeaseVerb,
  LimitName,
  LimitRef,
  Op,
  Reply,
  StoreListener,
} from '../contract.ts';
import { type Answered, Batch } from './batch.ts';
import { type Lease, slackPart } from './lease.ts';
import { Releases } from './releases.ts';
import { Renewals } from './renewals.ts';
import { StoreCounters } from './store-counters.ts';

/** A limiter that receives the messages of a store. */
export interface SessionMember {
  readonly name: string;
  /** Whether the store is available to it. */
  readonly isUp: boolean;
  /** Other processes have waiters for this key: leases kept idle must be released. */
  recalled(key: string | undefined): void;
  /** Another process has changed how the limit is operated. */
  operatedElsewhere(key: string | undefined): void;
  /** The store may have become unavailable or available again. */
  connectionChanged(): void;
  /** The store may have lost its state: registers permits that it does not know. */
  subscriptionRenewed(): void;
  slowed(reason: string | undefined): void;
  messagesMissing(error: StoreError | undefined): void;
}

/**
 * The leases of this process at one store. Sends requests about them, applies the store's answers and messages, and
 * reports each to the lease's owner.
 */
export class Session implements StoreListener {
  /** The limiters by name. */
  readonly #members = new Map<string, SessionMember>();
  readonly counters = new StoreCounters();
  readonly #batch: Batch;
  readonly #renewals: Renewals;
  readonly releases: Releases;
  /** Number of times that messages may have been missed. */
  #missed = 0;
  #isListening = false;
  #idCount = 0;

  constructor(readonly store: LeaseStore) {
    this.#batch = new Batch(store, this.counters);
    this.releases = new Releases(store, this.#batch);
    this.#renewals = new Renewals(
      store,
      (verb, lease) => this.ask(verb, lease),
      (lease) => this.#lost(lease),
    );
  }

  /**
   * @throws HeadgateError if there is a limiter of this name: both would count as one limit, most likely by mistake.
   */
  join(member: SessionMember): void {
    const { name } = member;
    if (this.#members.has(name)) {
      const message = `the store has a limiter "${name}" in this process: reuse that one, or give them different names`;
      throw new HeadgateError('ERR_HEADGATE_DUPLICATE_NAME', message, 'name');
    }
    this.#members.set(name, member);
  }

  leave(member: SessionMember): void {
    // A limiter that is closed again must not remove its successor.
    const { name } = member;
    if (this.#members.get(name) === member) this.#members.delete(name);
  }

  /** Moving average of the round trips to the store in milliseconds. */
  get roundTrip(): number | undefined {
    return this.#batch.roundTrip;
  }

  get activity(): StoreActivity {
    const up = [...this.#members.values()].every(({ isUp }) => isUp);
    return { ...this.counters, up, roundTrip: this.roundTrip };
  }

  newId(): string {
    return `${this.store.owner}.${(this.#idCount++).toString(36)}`;
  }

  /** Sends an operation that concerns no lease. */
  send(op: Op, answered: Answered): void {
    if (!this.#isListening) {
      this.#isListening = true;
      outsideRequest(() => this.store.listen(this));
    }
    this.#batch.add(op, answered);
  }

  /** Sends a request about a lease; its owner receives the outcome. */
  ask(verb: LeaseVerb, lease: Lease): void {
    this.#renewals.add(lease);
    const request = lease.nextRequest(this.store.clock.now(), this.#missed);
    this.send({ verb, lease: request }, (answer, sent) =>
      this.#answered(lease, verb, request.ref, answer, sent),
    );
  }

  /** Renews a held lease now, unless it has been lost. */
  renew(lease: Lease): void {
    if (this.isCertain(lease)) this.ask('renew', lease);
    else this.#lost(lease);
  }

  /** Asks about a queued lease at this time at the latest. */
  checkBy(lease: Lease, at: number): void {
    this.#renewals.renewBy(lease, at);
  }

  /** Asks the store in time to keep the lease queued, if its present waiter may wait longer than the store expects. */
  prolong(lease: Lease): void {
    const { state, waitsUntil } = lease;
    const { clock, leaseDuration } = this.store;
    // Both times are rounded up to a whole millisecond.
    if (state !== 'queued' || clock.now() + lease.timeLeft <= waitsUntil + 1) return;
    this.checkBy(lease, waitsUntil - leaseDuration * slackPart);
  }

  /** Whether the lease certainly still exists in the store. */
  isCertain(lease: Lease): boolean {
    return this.store.clock.now() < this.store.certainUntil(lease.confirmedAt);
  }

  /** Called when the lease is no longer needed: ends it, and releases it if the store may have it. */
  release(lease: Lease): void {
    this.#end(lease, lease.state === 'held' && this.isCertain(lease));
  }

  /** Ends a lease that the store does not have. */
  forget(lease: Lease): void {
    this.#renewals.delete(lease);
    lease.end();
  }

  grant({ id, fencing }: Grant): void {
    const lease = this.#renewals.get(id);
    if (lease?.state !== 'requested' && lease?.state !== 'queued') return;
    // The message may be outdated: the lease may have expired and been queued again since its last answered request.
    if (lease.hasLapsed || !this.isCertain(lease)) return this.ask('stay', lease);
    this.#renewals.confirmed(lease, lease.confirmedAt);
    this.#granted(lease, fencing);
  }

  recall({ name, key }: LimitName): void {
    this.#members.get(name)?.recalled(key);
  }

  operated({ name, key }: LimitName): void {
    this.#members.get(name)?.operatedElsewhere(key);
  }

  check(): void {
    this.#missed++;
    this.#batch.resume();
    for (const member of this.#members.values()) member.subscriptionRenewed();
    this.#renewals.renewAll();
    this.releases.sendAgain();
    // The store may guarantee leases for a shorter time from now on.
    this.#renewals.tend();
  }

  state(up: boolean): void {
    if (up) this.#batch.resume();
    for (const member of [...this.#members.values()]) member.connectionChanged();
    this.releases.sendAgain();
    this.#renewals.tend();
  }

  get isWaiting(): boolean {
    return this.#renewals.isWaiting;
  }

  get isActive(): boolean {
    return !this.#renewals.isEmpty || !this.activity.up;
  }

  muted(error: StoreError | undefined): void {
    this.counters.muted = error !== undefined;
    for (const member of [...this.#members.values()]) member.messagesMissing(error);
  }

  slowed(reason: string | undefined): void {
    this.counters.slowed = reason !== undefined;
    for (const member of [...this.#members.values()]) member.slowed(reason);
  }

  #answered(lease: Lease, verb: LeaseVerb, ref: LimitRef, answer: Answer, sent: number): void {
    const { semaphore } = lease;
    if ('error' in answer) return semaphore.failed(lease, verb, answer.error);
    semaphore.learn(answer, verb, ref);
    const { state } = answer;
    if (lease.state === 'ended') {
      if (state === 'held' || state === 'queued') this.releases.add(lease, false);
    } else if (state === 'lost') this.#lost(lease);
    else if (state === 'full') {
      this.forget(lease);
      semaphore.rejected(lease);
    } else if (verb !== 'resize') {
      lease.hasLapsed ||= !this.isCertain(lease);
      this.#renewals.confirmed(lease, sent);
      if (state === 'queued') this.#queued(lease, answer.place);
      // The answer is so old that the lease may have expired meanwhile.
      else if (lease.state !== 'held' && this.store.clock.now() >= sent + this.store.leaseDuration)
        this.ask(verb === 'register' ? verb : 'stay', lease);
      else this.#granted(lease, answer.fencing, verb === 'acquire' ? answer : undefined);
    }
  }

  #queued(lease: Lease, place: string | undefined): void {
    // The grant's message arrived before this answer.
    if (lease.state === 'held') return;
    lease.queue(place);
    if (!lease.semaphore.queued(lease)) return;
    // Messages may have been missed since the request was sent, so the lease may be held by now.
    if (lease.missed < this.#missed) this.ask('stay', lease);
    else this.prolong(lease);
  }

  #granted(lease: Lease, fencing: bigint | undefined, answer?: Reply): void {
    if (lease.state === 'held') return;
    lease.hold(fencing);
    lease.semaphore.granted(lease, answer);
  }

  #lost(lease: Lease): void {
    // The answer to its release may be `lost`, which must not be reported a second time.
    this.#end(lease, false);
    lease.semaphore.lost(lease);
  }

  #end(lease: Lease, wasHeld: boolean): void {
    const isKnown = this.#renewals.delete(lease);
    lease.end();
    if (isKnown) this.releases.add(lease, wasHeld);
  }
}
