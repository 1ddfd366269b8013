import { checkFraction } from '../checks.ts';
import {
  type Bounds,
  checkBounds,
  type Limit,
  type LimitFactory,
  type Range,
  type Sample,
  within,
} from './limit.ts';

export interface GradientOptions extends Bounds {
  /** Tolerated increase over the shortest round trip, as a fraction of it: between 0 and 1. Default: 0.25. */
  buffer?: number | undefined;
}

/** Samples in a window. */
const WINDOW_SAMPLES = 50;

/** Windows at the lower bound after which the shortest round trip is measured again. */
const WINDOWS_BEFORE_PROBE = 5;

/** Factors by which one window changes the limit at most. */
const MIN_GRADIENT = 0.5;
const MAX_GRADIENT = 2;

/**
 * Follows the ratio of the shortest round trip to that of the latest window. The shortest is measured at the lower
 * bound, to which the limit falls at the start, and again after it has stayed there. This rejects requests merely to
 * measure, which `adaptive` does not. After the adaptive concurrency filter of Envoy.
 *
 * @throws HeadgateError for an unknown or invalid option.
 */
export function gradient(options: GradientOptions = {}): LimitFactory {
  const range = checkBounds('gradient', options, ['buffer'], 3);
  const buffer = checkFraction('buffer', options.buffer ?? 0.25);
  return { create: () => new Gradient(range, buffer) };
}

class Gradient implements Limit {
  limit: number;
  /** In milliseconds; undefined while it is being measured. */
  #shortest: number | undefined;
  #atFloor = 0;
  #window: number[] = [];

  constructor(
    private readonly range: Range,
    private readonly buffer: number,
  ) {
    this.limit = range.min;
  }

  get baseline(): number | undefined {
    return this.#shortest;
  }

  sample({ rtt, outcome }: Sample): void {
    if (outcome === 'dropped') return;
    if (this.#window.push(rtt) < WINDOW_SAMPLES) return;
    const typical = median(this.#window);
    this.#window = [];
    // A clock that does not advance during the work, as on Workers, tells nothing about it.
    if (this.#shortest === undefined && typical > 0) {
      this.#shortest = typical;
      this.limit = this.range.initial;
    } else this.#follow(this.#shortest ?? 0, typical);
  }

  #follow(shortest: number, typical: number): void {
    const { range, limit } = this;
    const ratio = typical > 0 ? (shortest * (1 + this.buffer)) / typical : MAX_GRADIENT;
    const target = within({ min: MIN_GRADIENT, max: MAX_GRADIENT }, ratio) * limit;
    this.limit = within(range, target + Math.sqrt(target));
    this.#atFloor = this.limit === range.min ? this.#atFloor + 1 : 0;
    if (this.#atFloor < WINDOWS_BEFORE_PROBE) return;
    this.#atFloor = 0;
    this.#shortest = undefined;
  }
}

function median(values: number[]): number {
  values.sort((one, other) => one - other);
  return values[values.length >> 1] as number;
}
