import { invalid } from '../errors.ts';
import { grantFrom, type Served } from './grants.ts';
import type { Held } from './held.ts';
import { Line } from './line.ts';
import type { RetryAfter } from './retry-after.ts';

/** The limiter, as its pools see it. */
export interface PoolOwner {
  readonly limit: number;
  readonly name: string;
  readonly held: Held;
  serve(pool: Pool): void;
  takeBack(pool: Pool, weight: number): void;
}

/** A limit's count and its line: one for the whole limiter, or one for each key that is in use. */
export class Pool implements Served {
  inflight = 0;
  /** Weight given back ever, for `Retry-After`. */
  returned = 0;
  readonly line = new Line();
  retryAfter: RetryAfter | undefined = undefined;
  ready = false;

  constructor(
    readonly owner: PoolOwner,
    readonly key: string | undefined,
    public limit: number,
  ) {}

  get idle(): boolean {
    return this.inflight === 0 && this.line.head === undefined;
  }

  /** Whether somebody who comes now is admitted: not past those who wait. */
  admits(weight: number): boolean {
    return this.line.head === undefined && this.inflight + weight <= this.limit;
  }

  /** A weight that a lowered limit has overtaken counts as the whole limit, or it would block the line for ever. */
  fits(weight: number): boolean {
    return this.inflight + Math.min(weight, this.limit) <= this.limit;
  }

  serve(): void {
    this.owner.serve(this);
  }

  resize(limit: number): void {
    this.limit = limit;
    if (this.line.head !== undefined) grantFrom(this);
  }
}

/** A weight above the limit could never be granted. */
export function checkWeight(weight: number, limit: number): void {
  if (Number.isSafeInteger(weight) && weight >= 1 && weight <= limit) return;
  const expected = `a whole number from 1 to the limit (${limit})`;
  throw invalid('weight', expected, weight, 'ERR_HEADGATE_WEIGHT');
}
