import type { Rejection, RejectionReason, Waiter } from '@headgate/core';
import { MAX_PAUSE, RetryAfter, waitedSince } from '@headgate/core/engine';
import { type LimitRef, type LimitState, SET_NOW } from '../contract.ts';
import type { DistributedSemaphoreGroup } from './distributed-semaphore-group.ts';
import { OwnLimit } from './own-limit.ts';

/**
 * Higher than every limit in use. Also sent with a release that must not declare a limit: if the release recreates the
 * limit at a store that has lost its state, the next declaration replaces this value.
 */
export const NO_LIMIT = 1e12;

/** Maximum age in milliseconds of what a process knows of a pause, which another one may have ended. */
const MAX_PAUSE_AGE = 1_000;

/** The state of one semaphore's limit: what the store last reported to this process, and what the process holds. */
export class CachedLimitState {
  /** Weight held by this process. */
  held = 0;
  /** Number of requests ever admitted by this process. */
  admitted = 0;
  /** When the next lease may expire, which no message announces. */
  checkAt = Infinity;
  /** When the pause ends, by the clock of this process, and when to ask the store for it again. */
  private pausedUntil = -Infinity;
  private pauseKnownUntil = -Infinity;
  private latest: LimitState | undefined = undefined;
  private declaration: LimitRef;
  private retryAfter: RetryAfter | undefined = undefined;

  constructor(
    private readonly group: DistributedSemaphoreGroup,
    readonly key: string | undefined,
    /** The key's own limit; undefined if the limit of all keys applies. */
    private own?: OwnLimit,
  ) {
    this.declaration = this.#makeRef();
  }

  get limit(): number {
    return (this.own ?? this.group).limit;
  }

  /** Weight held, over all processes. */
  get inflight(): number {
    return Math.max(this.held, this.latest?.inflight ?? 0);
  }

  /** Number of waiters, over all processes. */
  get queued(): number {
    return this.latest?.queued ?? 0;
  }

  /** Milliseconds until the pause ends. Shadow mode admits requests during a pause. */
  get pauseLeft(): number {
    const { isShadow, settings } = this.group;
    return isShadow ? 0 : Math.max(0, this.pausedUntil - settings.clock.now());
  }

  /** Pauses the limit here, until the store answers. */
  pauseFor(milliseconds: number): void {
    const now = this.group.settings.clock.now();
    // The wait that rejected clients have received no longer counts.
    if (milliseconds === 0) this.retryAfter = undefined;
    this.pausedUntil = milliseconds === 0 ? now : Math.max(this.pausedUntil, now + milliseconds);
  }

  /** Returns true at most once a second, when the store must be asked whether the limit is still paused. */
  asksForPause(): boolean {
    const now = this.group.settings.clock.now();
    if (now < this.pauseKnownUntil) return false;
    this.pauseKnownUntil = now + MAX_PAUSE_AGE;
    return true;
  }

  /** The limit as declared to the store: the same object until it changes. */
  get ref(): LimitRef {
    const { declaration, group } = this;
    const { limit, version } = this.own ?? group;
    const isCurrent = limit === declaration.limit && version === declaration.version;
    if (!isCurrent || declaration.operated !== group.operated.latest) {
      this.declaration = this.#makeRef();
    }
    return this.declaration;
  }

  /** Changes the key's own limit. */
  declare(limit: number): void {
    this.own ??= new OwnLimit(limit);
    this.own.declare(limit);
  }

  /** Called when the limit of all keys has changed: it replaces the key's own limit, unless that was declared later. */
  commonChanged(): void {
    const { own, group } = this;
    if (own === undefined) return;
    const isOlder = Number(own.version) < Number(group.version);
    if (group.version === SET_NOW || isOlder) this.own = undefined;
  }

  /**
   * The limit to send with the release of a lease. It omits the key's own limit, since a newer semaphore of the key may
   * have declared another one.
   */
  get refOfRelease(): LimitRef {
    const { ref } = this;
    const mayBeOld = this.own !== undefined && ref.version === SET_NOW;
    return mayBeOld ? { ...ref, limit: NO_LIMIT, version: '0', declared: [] } : ref;
  }

  /** Adopts the state in an answer to a request with this reference. */
  learn(limitState: LimitState, now: number, ref: LimitRef): void {
    this.latest = limitState;
    this.checkAt = now + limitState.checkIn;
    const { pausedFor = 0 } = limitState;
    this.pausedUntil = pausedFor > 0 ? now + Math.min(pausedFor, MAX_PAUSE) : now;
    this.pauseKnownUntil = now + MAX_PAUSE_AGE;
    this.#learnLimit(limitState, ref);
    this.group.learn(limitState);
  }

  /**
   * Whether this process may grant from its own leases without the store. It may not during a pause, if it
   * holds more than the limit, and in shadow mode, where only the store knows by how much a request exceeds the limit.
   */
  get grantsFromLeases(): boolean {
    const { grants, isShadow } = this.group;
    return grants && !isShadow && this.pauseLeft === 0 && this.inflight <= this.limit;
  }

  /** In shadow mode: by how much weight a lease that this answer granted exceeds the limit. */
  excess(granted: LimitState | undefined): number {
    return granted !== undefined && this.group.isShadow ? granted.inflight - this.limit : 0;
  }

  /** Called when the store has recalled idle leases, since other processes have waiters. */
  othersWait(): void {
    const { latest } = this;
    if (latest !== undefined) this.latest = { ...latest, queued: Math.max(1, latest.queued) };
  }

  changeHeld(change: number): void {
    this.held += change;
    this.group.inflight += change;
  }

  rejection(waiter: Waiter, reason: RejectionReason): Rejection {
    const { name, clock } = this.group.settings;
    const now = clock.now();
    this.retryAfter ??= new RetryAfter(clock);
    const retryAfter = this.retryAfter.seconds(now, this.admitted, this.pauseLeft);
    const waited = waiter.arrival === 0 ? 0 : waitedSince(waiter.since, now);
    return { reason, limitName: name, queued: this.queued, waited, retryAfter };
  }

  /**
   * Adopts the limit that the answer contains for this key, or for all keys. The store keeps the limit for all keys
   * under the limit's name without a key.
   */
  #learnLimit(limitState: LimitState, ref: LimitRef): void {
    const { own, group, key } = this;
    const { limit, version } = limitState;
    if (own !== undefined) return own.learn(limitState, ref === this.ref);
    if (key === undefined || !group.readsCommon) return group.adopt(limitState);
    if (!group.isLater(limitState)) return;
    this.own = new OwnLimit(limit, version);
    if (limit !== group.limit) group.readCommon();
  }

  #makeRef(): LimitRef {
    const { group, key } = this;
    const { limit, version } = this.own ?? group;
    const { name, operated, declaredNumbers: declared } = group;
    return { name, key, limit, version, declared, operated: operated.latest };
  }
}
