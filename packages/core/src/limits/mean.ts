/** A mean and its margin of error. */
export class Mean {
  count = 0;
  #sum = 0;
  #sumOfSquares = 0;

  add(value: number): void {
    this.count++;
    this.#sum += value;
    this.#sumOfSquares += value * value;
  }

  include(other: Mean): void {
    this.count += other.count;
    this.#sum += other.#sum;
    this.#sumOfSquares += other.#sumOfSquares;
  }

  get value(): number {
    return this.#sum / this.count;
  }

  /** Two standard errors. */
  get margin(): number {
    const variance = Math.max(0, this.#sumOfSquares / this.count - this.value ** 2);
    return 2 * Math.sqrt(variance / this.count);
  }
}
