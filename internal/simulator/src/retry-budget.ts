/** Limits a client's retries to a fraction of its calls (as in Finagle), with a small reserve for low call rates. */
export class RetryBudget {
  #balance: number;

  constructor(
    /** The number of retries that each call earns, such as 0.1. */
    private readonly part: number,
    /** Maximum number of saved retries, which is also the initial number. */
    private readonly reserve = 10,
  ) {
    this.#balance = reserve;
  }

  called(): void {
    this.#balance = Math.min(this.reserve, this.#balance + this.part);
  }

  /** Takes one retry from the budget. Returns false if there is none. */
  retries(): boolean {
    if (this.#balance < 1) return false;
    this.#balance--;
    return true;
  }
}
