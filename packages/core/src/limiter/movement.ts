import { checkMethods } from '../checks.ts';
import { invalid, throwLater } from '../errors.ts';
import type { Limit, Sample } from '../limits/limit.ts';
import type { LocalPermit } from './local-permit.ts';
import type { Outcome } from './permit.ts';
import type { Pools } from './pools.ts';

/** Feeds completed permits to an adaptive limit, and applies its updates. */
export class Movement {
  /** Weight held by requests that still wait at a later limit of their gate: it is not at work. */
  private idle = 0;
  /** The latest number that the limit has given. */
  limit: number;
  #isReported = false;

  /** @throws HeadgateError for a limit that is no number. */
  constructor(
    private readonly pools: Pools,
    private readonly moving: Limit,
  ) {
    checkMethods('limit.create()', moving, ['sample']);
    const { limit } = moving;
    if (!isNumber(limit)) throw unusable(limit);
    this.limit = whole(limit);
  }

  pause({ weight }: LocalPermit): void {
    this.idle += weight;
  }

  resume(permit: LocalPermit): void {
    this.pools.ledger.restart(permit);
    this.idle -= permit.weight;
  }

  /** Before the permit's weight is free. The limit is perhaps the application's: its errors must not keep the permit. */
  over(permit: LocalPermit, outcome: Outcome): void {
    const { pools, idle } = this;
    const isPaused = permit.waiter !== undefined;
    if (isPaused) this.idle -= permit.weight;
    if (isPaused || outcome === 'ignored') return;
    const now = pools.settings.clock.now();
    const inflight = pools.inflight - idle;
    const { kind } = permit;
    try {
      this.#follow({ rtt: now - permit.since, inflight, outcome, now, kind });
    } catch (error) {
      throwLater(error);
    }
    if (this.limit !== pools.limit) pools.resize(this.limit);
  }

  #follow(sample: Sample): void {
    this.moving.sample(sample);
    const { limit } = this.moving;
    if (isNumber(limit)) this.limit = whole(limit);
    else if (!this.#isReported) {
      this.#isReported = true;
      throwLater(unusable(limit));
    }
  }
}

function isNumber(limit: unknown): limit is number {
  return typeof limit === 'number' && !Number.isNaN(limit);
}

function whole(limit: number): number {
  return Math.max(1, Math.floor(limit));
}

function unusable(limit: unknown) {
  return invalid('limit', 'a number, from what its `create` returns,', limit);
}
