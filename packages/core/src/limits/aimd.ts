import { checkFraction } from '../checks.ts';
import {
  type Bounds,
  checkBounds,
  isUsed,
  type Limit,
  type LimitFactory,
  type Range,
  type Sample,
  saturatedLimit,
  within,
} from './limit.ts';

export interface AimdOptions extends Bounds {
  /** Factor by which a drop lowers the limit: between 0 and 1. Default: 0.9. */
  backoff?: number | undefined;
}

/**
 * Additive increase, multiplicative decrease: grows by one per round trip while it is used, and falls when work reports
 * `dropped`. Durations have no effect. After Palantir's Dialogue. If work was admitted before the last decrease, its
 * drop does not lower the limit again, as in TCP (RFC 6582).
 *
 * @throws HeadgateError for an unknown or invalid option.
 */
export function aimd(options: AimdOptions = {}): LimitFactory {
  const range = checkBounds('aimd', options, ['backoff']);
  const backoff = checkFraction('backoff', options.backoff ?? 0.9);
  return { create: () => new Aimd(range, backoff) };
}

class Aimd implements Limit {
  limit: number;
  #loweredAt = -Infinity;

  constructor(
    private readonly range: Range,
    private readonly backoff: number,
  ) {
    this.limit = range.initial;
  }

  sample(sample: Sample): void {
    const { rtt, outcome, now } = sample;
    const { range, limit } = this;
    if (outcome === 'dropped') {
      if (now - rtt < this.#loweredAt) return;
      this.#loweredAt = now;
      this.limit = within(range, Math.floor(limit * this.backoff));
    } else if (isUsed(saturatedLimit(sample), limit)) {
      this.limit = within(range, limit + 1 / limit);
    }
  }
}
