/** Time constant of the counts, in milliseconds. */
const TIME_CONSTANT_MS = 1000;

/** The fraction of the latest requests that were rejected, for statistics. */
export class RecentRejections {
  #requests = 0;
  #rejected = 0;

  /** From 0 to 1. */
  get fraction(): number {
    return this.#requests === 0 ? 0 : this.#rejected / this.#requests;
  }

  add(isRejected: boolean): void {
    this.#requests++;
    if (isRejected) this.#rejected++;
  }

  /** Reduces the weight of earlier requests; `elapsed` is the time since the last call in milliseconds. */
  fade(elapsed: number): void {
    const fade = Math.exp(-elapsed / TIME_CONSTANT_MS);
    this.#requests *= fade;
    this.#rejected *= fade;
  }
}
