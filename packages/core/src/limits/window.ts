/** Milliseconds: no window is shorter. */
const shortest = 100;

/** Milliseconds after which few samples have to do. */
const patience = 10_000;

const few = 10;
const enough = 50;

/** What the samples of a while have in common. */
export class Window {
  #start: number | undefined;
  #samples = 0;
  #sumRtt = 0;
  #sumInflight = 0;
  #compared = 0;
  #sum = 0;
  #sumOfSquares = 0;
  /** The most that was at work. */
  peak = 0;

  /** @param stretch The round trip over the baseline of its kind, where that is known. */
  add(now: number, rtt: number, inflight: number, stretch: number | undefined): void {
    this.#start ??= now;
    this.#samples++;
    this.#sumRtt += rtt;
    this.#sumInflight += inflight;
    if (inflight > this.peak) this.peak = inflight;
    if (stretch === undefined) return;
    this.#compared++;
    this.#sum += stretch;
    this.#sumOfSquares += stretch * stretch;
  }

  /** Long enough for the work admitted at its beginning to be over, and with enough samples to tell chance from load. */
  isOver(now: number): boolean {
    const age = now - (this.#start ?? now);
    if (this.#samples < few || age < Math.max(shortest, (2 * this.#sumRtt) / this.#samples))
      return false;
    return this.#samples >= enough || age >= patience;
  }

  /** The mean weight at work. */
  get inflight(): number {
    return this.#sumInflight / this.#samples;
  }

  /** How many times longer than its baseline work took, on average; undefined where there is nothing to compare. */
  get stretch(): number | undefined {
    return this.#compared < few ? undefined : this.#sum / this.#compared;
  }

  /** What chance may add to it: two standard errors. */
  get margin(): number {
    const mean = this.#sum / this.#compared;
    const variance = Math.max(0, this.#sumOfSquares / this.#compared - mean * mean);
    return 2 * Math.sqrt(variance / this.#compared);
  }
}
