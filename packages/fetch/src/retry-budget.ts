import { checkCount, invalid } from '@headgate/core/options';

/** Options of a `RetryBudget`. */
interface RetryBudgetOptions {
  /** Tries that each success earns: above 0 and at most 1. Default: 0.2, at most a fifth more requests. */
  ratio?: number | undefined;
  /** Maximum number of tries that are saved up, and the number at the start: a whole number from 1. Default: 10. */
  reserve?: number | undefined;
}

/**
 * Limits further tries to a fraction of the successes, so that an outage does not multiply the load. Several clients,
 * and any retry loop, may share one.
 */
export class RetryBudget {
  readonly #ratio: number;
  readonly #reserve: number;
  #left: number;

  /** @throws HeadgateError for an invalid option. */
  constructor({ ratio = 0.2, reserve = 10 }: RetryBudgetOptions = {}) {
    if (!(ratio > 0 && ratio <= 1)) throw invalid('ratio', 'a number above 0 and at most 1', ratio);
    this.#ratio = ratio;
    this.#reserve = this.#left = checkCount('reserve', reserve, 1);
  }

  /** Reports a success, which earns a part of a further try. */
  succeeded(): void {
    this.#left = Math.min(this.#reserve, this.#left + this.#ratio);
  }

  /** Takes a further try from the budget. Returns false if there is none; it never waits. */
  take(): boolean {
    if (this.#left < 1) return false;
    this.#left--;
    return true;
  }
}
