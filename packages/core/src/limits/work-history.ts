import type { Sample } from './limit.ts';
import { Mean } from './mean.ts';
import { slowdownOf, type Work } from './trend.ts';

/**
 * Maximum number of samples kept. When there are more, only every second one is kept, later every fourth, and so on.
 */
const MAX_KEPT = 256;

/** The first work is this fraction of all work, and at least this many samples. */
const FIRST_FRACTION = 0.125;
const MIN_FIRST = 8;

interface WeightedWork extends Work {
  readonly weight: number;
}

/**
 * Records the finished work of one period. Short work finishes first, so work that finishes later always looks slower.
 * Therefore only work that started in the first half of the period is compared. Work that has not finished yet can hide
 * a slowdown, but cannot imitate one.
 */
export class WorkHistory {
  readonly #rtt = new Mean();
  #work: WeightedWork[] = [];
  /** Every nth piece is kept. */
  #interval = 1;
  /** When the first of the kept work started, and when the latest work finished. */
  #beganAt = Infinity;
  #endedAt = -Infinity;

  /** @param since Work that started earlier says nothing about the present load. */
  constructor(private readonly since = -Infinity) {}

  /** Amount of finished work. */
  get count(): number {
    return this.#rtt.count;
  }

  /** Mean round trip in milliseconds. */
  get rtt(): number {
    return this.#rtt.value;
  }

  /** When the first of the kept work started; infinite if there is none. */
  get beganAt(): number {
    return this.#beganAt;
  }

  /** The ratio of the duration of later work to that of the first; 1 if that may be chance. */
  get slowdown(): number {
    return slowdownOf(this.#earlier);
  }

  /** The work that started first. */
  get first(): readonly Work[] {
    const earlier = this.#earlier;
    earlier.sort((one, other) => one.startedAt - other.startedAt);
    return earlier.slice(0, Math.max(MIN_FIRST, earlier.length * FIRST_FRACTION));
  }

  /** Mean round trip of the first work in milliseconds. */
  get firstRtt(): number {
    const { first } = this;
    return first.reduce((sum, { rtt }) => sum + rtt, 0) / first.length;
  }

  /**
   * The weight that can be served at once. By Little's law, the rate at which weight finishes, times the first round
   * trip.
   */
  get capacity(): number {
    const middle = this.#middle;
    let finished = 0;
    for (const { startedAt, rtt, weight } of this.#work) {
      if (startedAt + rtt > middle) finished += weight;
    }
    return (this.firstRtt * finished * this.#interval) / (this.#endedAt - middle);
  }

  add({ now, rtt, kind, weight }: Sample): void {
    const startedAt = now - rtt;
    this.#rtt.add(rtt);
    if (startedAt < this.since) return;
    this.#beganAt = Math.min(this.#beganAt, startedAt);
    this.#endedAt = now;
    if (this.count % this.#interval > 0) return;
    this.#work.push({ startedAt, rtt, kind, weight });
    if (this.#work.length <= MAX_KEPT) return;
    this.#work = this.#work.filter((_, index) => index % 2 === 0);
    this.#interval *= 2;
  }

  /** The work that started in the first half of the time. */
  get #earlier(): WeightedWork[] {
    return this.#work.filter(({ startedAt }) => startedAt <= this.#middle);
  }

  get #middle(): number {
    return (this.#beganAt + this.#endedAt) / 2;
  }
}
