import { checkMethods } from '../checks.ts';
import { invalid, throwLater } from '../errors.ts';
import type { Limit, Sample } from '../limits/limit.ts';
import type { KeyedSemaphores } from './keyed-semaphores.ts';
import type { LocalPermit } from './local-permit.ts';
import type { Outcome } from './permit.ts';

/** Feeds completed permits to an adaptive limit, and applies its updates. */
export class LimitUpdater {
  /** Weight held by requests that are queued at a later limit of their gate and so do no work. */
  private idle = 0;
  /** The latest valid value of the limit. */
  limit: number;
  #isReported = false;

  /** @throws HeadgateError for a limit that is not a number. */
  constructor(
    private readonly semaphores: KeyedSemaphores,
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
    this.semaphores.permits.restart(permit);
    this.idle -= permit.weight;
  }

  /**
   * Called before the permit's weight is released. The algorithm may be the application's, so its errors must not
   * prevent the release.
   */
  released(permit: LocalPermit, outcome: Outcome): void {
    const { semaphores, idle } = this;
    const isPaused = permit.waiter !== undefined;
    if (isPaused) this.idle -= permit.weight;
    if (isPaused || outcome === 'ignored') return;
    const now = semaphores.settings.clock.now();
    const inflight = semaphores.inflight - idle;
    const { kind } = permit;
    try {
      this.#follow({ rtt: now - permit.since, inflight, outcome, now, kind });
    } catch (error) {
      throwLater(error);
    }
    if (this.limit !== semaphores.limit) semaphores.resize(this.limit);
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
  return invalid('limit', 'a number in the object that its `create` returns', limit);
}
