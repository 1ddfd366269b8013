import { checkMethods, isNumber } from '../checks.ts';
import { attempt, invalid, throwLater } from '../errors.ts';
import type { Limit, Sample } from './limit.ts';

/** A limit that rejects requests has stalled if no work has finished for this time, and for this many round trips. */
const STALL_MS = 1000;
const STALL_RTTS = 10;

/** The same until any work has finished. */
const FIRST_STALL_MS = 500;

/** Feeds finished work to an adaptive limit, and applies its updates. */
export class LimitUpdater {
  /** Weight held by requests that are queued at a later limit of their gate and so do no work. */
  idle = 0;
  /** The latest valid value of the limit. */
  limit: number;
  /** Whether the limit stays as it is. */
  isFrozen = false;
  /** Work that was admitted before says nothing about the algorithm's own limit. */
  #validFrom = -Infinity;
  #isReported = false;
  /** When work finished last, or a stall was noticed. */
  #sampledAt: number | undefined;
  /** Moving average of the round trips in milliseconds; 0 until one is known. */
  #rtt = 0;

  /** @throws HeadgateError for a limit that is not a number. */
  constructor(
    private readonly algorithm: Limit,
    private readonly apply: (limit: number) => void,
  ) {
    checkMethods('limit.create()', algorithm, ['sample']);
    const { limit } = algorithm;
    if (!isNumber(limit)) throw unusable(limit);
    this.limit = whole(limit);
  }

  /** Milliseconds that work takes without load; undefined if the algorithm does not know it. */
  get baseline(): number | undefined {
    const baseline: unknown = attempt(() => this.algorithm.baseline);
    return isNumber(baseline) ? baseline : undefined;
  }

  sample(sample: Sample): void {
    const { rtt, now } = sample;
    this.#sampledAt = now;
    if (this.isFrozen || now - rtt < this.#validFrom) return;
    this.#rtt += (rtt - this.#rtt) / (this.#rtt ? 10 : 1);
    this.#update(() => this.algorithm.sample(sample));
  }

  /** Lets the algorithm continue from its own limit, which applies at once. */
  unfreeze(now: number): void {
    this.isFrozen = false;
    this.#validFrom = now;
    this.#update(() => {});
  }

  /** Requests have finished, or nothing was admitted for a while: that is no stall. */
  restart(now: number): void {
    this.#sampledAt = now;
  }

  /** A request has been rejected. */
  rejected(now: number): void {
    if (this.isFrozen) return;
    this.#sampledAt ??= now;
    const stall = this.#rtt ? Math.max(STALL_MS, STALL_RTTS * this.#rtt) : FIRST_STALL_MS;
    if (now - this.#sampledAt < stall) return;
    this.#sampledAt = now;
    this.#update(() => this.algorithm.stalled?.(now));
  }

  /** The algorithm may be the application's, so its errors must not prevent the release of the permit. */
  #update(change: () => void): void {
    try {
      change();
      const { limit } = this.algorithm;
      if (isNumber(limit)) this.#follow(whole(limit));
      else if (!this.#isReported) {
        this.#isReported = true;
        throw unusable(limit);
      }
    } catch (error) {
      throwLater(error);
    }
  }

  #follow(limit: number): void {
    if (limit === this.limit) return;
    this.limit = limit;
    this.apply(limit);
  }
}

function whole(limit: number): number {
  return Math.max(1, Math.floor(limit));
}

function unusable(limit: unknown) {
  return invalid('limit', 'a number in the object that its `create` returns', limit);
}
