import { createLimiter, type LocalLimiter, type Outcome } from '@headgate/core';
import type { Settings } from './options.ts';
import type { RetryBudget } from './retry-budget.ts';

/** Failures in a row after which an origin is probed. */
const PROBE_AFTER = 5;

/**
 * The limit of one origin. After five failures in a row it is 1, so that one request at a time probes the origin. It
 * doubles with each answer, until it is what it was.
 */
export class Origin {
  readonly limiter: LocalLimiter;
  /** Calls whose responses have not ended. */
  calls = 0;
  #failures = 0;
  /** The limit that probing has set last. */
  #probed = 0;
  /** What the limit was before, while the origin is probed. */
  #before: { readonly limit: number; readonly setting: number | 'adaptive' } | undefined;

  constructor(
    readonly key: string,
    { limit, queueTimeout, clock }: Settings,
    readonly budget: RetryBudget,
  ) {
    this.limiter = createLimiter({ name: key, limit, queueTimeout, clock });
  }

  /** The origin has answered with this status, or not at all. The caller's own abort says nothing. */
  report(outcome: Outcome, isAnswer: boolean): void {
    if (outcome === 'dropped') this.#failed();
    else if (isAnswer) this.#answered();
    if (outcome === 'ok') this.budget.succeeded();
  }

  #failed(): void {
    const { limiter } = this;
    if (++this.#failures < PROBE_AFTER || limiter.limit === 1) return;
    this.#forgetIfSet();
    const { limit, isFixed } = limiter;
    this.#before ??= { limit, setting: isFixed ? limit : 'adaptive' };
    this.#set(1);
  }

  #answered(): void {
    this.#failures = 0;
    this.#forgetIfSet();
    const before = this.#before;
    if (before === undefined) return;
    const next = 2 * this.limiter.limit;
    if (next < before.limit) return this.#set(next);
    this.#before = undefined;
    this.limiter.setLimit(before.setting);
  }

  #set(limit: number): void {
    this.#probed = limit;
    this.limiter.setLimit(limit);
  }

  /** An operator may have set the limit meanwhile, which then is the one to return to. */
  #forgetIfSet(): void {
    if (this.limiter.limit !== this.#probed) this.#before = undefined;
  }
}
