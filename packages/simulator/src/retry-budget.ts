/** A client's retries, as a part of its calls: after Finagle, with a small reserve for when there are few. */
export class RetryBudget {
  #balance: number;

  constructor(
    /** How many retries a call earns, for instance 0.1. */
    private readonly part: number,
    /** How many can be saved up, and are there at first. */
    private readonly reserve = 10,
  ) {
    this.#balance = reserve;
  }

  called(): void {
    this.#balance = Math.min(this.reserve, this.#balance + this.part);
  }

  /** Whether one more may be; it is counted then. */
  retries(): boolean {
    if (this.#balance < 1) return false;
    this.#balance--;
    return true;
  }
}
