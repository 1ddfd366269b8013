import { type GroupMember, SemaphoreGroup } from '../../semaphore/semaphore-group.ts';
import { warnOnce } from '../../warning.ts';
import { type LimitState, SET_NOW } from '../contract.ts';
import type { LeaseTerms } from '../lease/lease.ts';
import type { DistributedSettings } from '../settings.ts';
import { OperatedLimit } from './operated-limit.ts';
import { replaces } from './own-limit.ts';

/** Maximum number of consecutive permits under one lease that is kept in reserve: one round trip for all of them. */
const MAX_RESERVE_USES = 100;

/** What the semaphores of a distributed limiter have in common: the limit that applies, and this process's totals. */
export abstract class DistributedSemaphoreGroup<
  Semaphore extends GroupMember = GroupMember,
> extends SemaphoreGroup<Semaphore> {
  declare readonly settings: DistributedSettings;
  /** The limit that this process declares; another process may have declared or set the one that applies. */
  readonly declared: number;
  /** The numbers that the store knows to be declared, or the one that this process declares. */
  declaredNumbers: readonly number[];
  inflight = 0;
  /**
   * The store's time of the limit that applies; empty until the store has answered, `SET_NOW` until it has confirmed the
   * limit that this process has set.
   */
  version = '';
  /** Limits set by this process that the store has not answered: other answers may be older. */
  unansweredLimits = 0;
  /** Expired leases, of any process, that were removed. */
  reclaimed = 0;
  /** Permits of this process that have lost their lease. */
  lost = 0;
  /** When registering permits may be tried again, after the store has refused it. */
  registerAt = -Infinity;
  /** How the limit is operated. */
  readonly operated = new OperatedLimit();
  readonly terms: LeaseTerms;
  #hasWarned = false;
  /** The highest version received. */
  #latest = -Infinity;

  constructor(settings: DistributedSettings) {
    super(settings);
    const { limit, isLimitPerRequest = false, queueLimit, handoff, reserve } = settings;
    this.declared = limit;
    this.declaredNumbers = isLimitPerRequest ? [] : [limit];
    const extraTokens = Math.max(handoff, reserve > 0 ? MAX_RESERVE_USES - 1 : 0);
    this.terms = { queueLimit, extraTokens, reserves: reserve > 0 };
  }

  /** The semaphore of a key; a new one is stored only once it is used. */
  abstract findOrCreate(key: string | undefined, limit: number | undefined): Semaphore;

  /** Applies how the limit is operated now, if that has changed. */
  abstract operatedChanged(): void;

  /** Whether the store knows the limit of all keys without a key, so that the answers for a key only concern that. */
  abstract readonly readsCommon: boolean;
  /** Asks the store for the limit of all keys. */
  abstract readCommon(): void;

  /** Applies the limit state of an answer, except the limit itself. */
  learn(limitState: LimitState): void {
    const { name, observers } = this.settings;
    const { reclaimed } = limitState;
    if (limitState.operated !== undefined) {
      this.operated.learn(limitState.operated);
      this.operatedChanged();
    }
    if (reclaimed === 0) return;
    this.reclaimed += reclaimed;
    observers.reclaimed?.({ name, count: reclaimed });
  }

  /** A held lease was lost: the store has dropped it, or it may have expired by the clock of this process. */
  leaseLost(weight: number): void {
    const { name, observers } = this.settings;
    this.lost++;
    observers.lost?.({ name, weight });
  }

  /** Whether the limit in an answer was declared after the one that applies here. */
  isLater(limitState: LimitState): boolean {
    return this.version !== '' && this.unansweredLimits === 0 && replaces(limitState, this);
  }

  /** Adopts the limit of all keys at the store, unless the answer is older than the latest known declaration. */
  adopt({ limit, version, declared: numbers = [limit] }: LimitState): void {
    // Two keys may have been given different limits with the same version: then the lower one applies.
    const isSame = version === this.version;
    if (isSame && limit >= this.limit) return;
    const isUnconfirmed = this.version === '' || this.version === SET_NOW;
    const isConfirmed = isUnconfirmed && limit === this.limit;
    const mayBeOlder = this.unansweredLimits > 0 || (!isSame && Number(version) <= this.#latest);
    if (!isConfirmed && mayBeOlder) return;
    this.version = version;
    this.#latest = Number(version);
    this.declaredNumbers = numbers;
    if (limit === this.limit) return;
    this.resize(limit);
    const { name, observers } = this.settings;
    const { declared } = this;
    // A limit that was set, by an operator for example, is no conflict.
    const isDeclared = limit === numbers[0];
    if (!isDeclared || limit === declared || this.#hasWarned) return;
    this.#hasWarned = true;
    if (observers.conflict !== undefined) return observers.conflict({ name, declared, limit });
    warnOnce(
      'HEADGATE_LIMIT_CONFLICT',
      `limit "${name}" is ${declared} here, but ${limit} was declared later by another process, and applies`,
    );
  }
}
