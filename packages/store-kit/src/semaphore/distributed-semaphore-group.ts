import { BaseLimiter, type GroupMember, warnOnce } from '@headgate/core/engine';
import { type LimitState, SET_NOW } from '../contract.ts';
import type { LeaseTerms } from '../lease/lease.ts';
import type { DistributedSettings } from '../settings.ts';
import { OperatedLimit } from './operated-limit.ts';
import { replaces } from './own-limit.ts';

/**
 * Maximum number of consecutive permits that use one lease kept in reserve. The lease needs a single round trip for all
 * of them.
 */
const MAX_RESERVE_USES = 100;

/** The state of a distributed limiter: the limit that applies, and this process's totals. */
export abstract class DistributedSemaphoreGroup<
  Semaphore extends GroupMember = GroupMember,
> extends BaseLimiter<Semaphore> {
  readonly isDistributed = true;
  declare readonly settings: DistributedSettings;
  /** The limit that this process declares. Another process may have declared or set the limit that applies. */
  readonly declared: number;
  /** The limits that processes have declared, as the store reports them; before its first answer, only this one's. */
  declaredNumbers: readonly number[];
  inflight = 0;
  /**
   * When the limit that applies was declared or set, by the store's clock. Empty until the store has answered;
   * `SET_NOW` until it has confirmed the limit that this process has set.
   */
  version = '';
  /**
   * Number of limits set by this process that the store has not confirmed. Meanwhile, other answers may be outdated.
   */
  unansweredLimits = 0;
  /** Expired leases, of any process, that were removed. */
  reclaimed = 0;
  /** Permits of this process that have lost their lease. */
  lost = 0;
  /** When to try again to register permits after the store has refused to. */
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
    this.terms = { queueLimit, extraTokens };
  }

  /** Pauses the limit, or a key of it, at the store; 0 ends the pause. */
  abstract declarePause(key: string | undefined, milliseconds: number): void;

  /** Applies the limit's state after it has changed. */
  abstract operatedChanged(): void;

  /** Whether the limit of all keys is declared without a key, so that the answer for a key concerns only that key. */
  abstract readonly readsCommon: boolean;
  /** Reads the limit of all keys from the store. */
  abstract readCommon(): void;

  /** Applies the state of the limit in an answer, except the limit itself. */
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

  /** Whether the limit in an answer was declared after the limit that applies here. */
  isLater(limitState: LimitState): boolean {
    return this.version !== '' && this.unansweredLimits === 0 && replaces(limitState, this);
  }

  /** Adopts the store's limit for all keys, unless a later declaration is known. */
  adopt({ limit, version, declared: numbers = [limit] }: LimitState): void {
    // Two keys may have received different limits with the same version: the lower one applies.
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
    // A limit that was set (by an operator, for example) is not a conflict.
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
