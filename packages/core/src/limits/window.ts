import { Mean } from './mean.ts';

/** Milliseconds: no window is shorter. */
const shortest = 100;

/** Milliseconds after which few samples have to do. */
const patience = 10_000;

const few = 10;
const many = 500;

/** What chance may add to a mean, as a part of it, before a window has gone on for long enough. */
const precision = 0.2;

/** What the samples of a while have in common. */
export class Window {
  #start = 0;
  readonly #rtt = new Mean();
  readonly #inflight = new Mean();
  readonly #stretch = new Mean();
  /** The most that was at work. */
  peak = 0;

  /** @param stretch The round trip over the baseline of its kind, where that is known. */
  add(now: number, rtt: number, inflight: number, stretch: number | undefined): void {
    if (this.#rtt.count === 0) this.#start = now;
    this.#rtt.add(rtt);
    this.#inflight.add(inflight);
    if (inflight > this.peak) this.peak = inflight;
    if (stretch !== undefined) this.#stretch.add(stretch);
  }

  /**
   * Long enough for the work admitted at its beginning to be over, and with enough samples to tell chance from load.
   */
  isOver(now: number): boolean {
    const age = now - this.#start;
    const compared = this.#stretch.count > 0 ? this.#stretch : this.#rtt;
    if (compared.count < few || age < Math.max(shortest, 2 * this.#rtt.value)) return false;
    if (compared.count >= many || age >= patience) return true;
    return compared.margin <= precision * compared.value;
  }

  /** The mean weight at work. */
  get inflight(): number {
    return this.#inflight.value;
  }

  /** How many times longer than its baseline work took, on average; undefined where there is too little to compare. */
  get stretch(): number | undefined {
    return this.#stretch.count < few ? undefined : this.#stretch.value;
  }

  /** What chance may have added to that. */
  get margin(): number {
    return this.#stretch.margin;
  }
}
