import { type Clock, longestTimer } from '../clock.ts';

/** What has a time to be up, in whole milliseconds of the clock. */
interface Timed {
  deadline: number;
}

/**
 * One timer for all who wait. Those with the same patience form a term, in order of their deadlines, so that
 * only the first of each term need be looked at.
 */
export class Deadlines<T extends Timed> {
  readonly #terms = new Map<number, Set<T>>();
  #size = 0;
  #timer: unknown;
  #armedFor = Number.POSITIVE_INFINITY;

  constructor(
    private readonly clock: Clock,
    /** Must remove the item. */
    private readonly expire: (item: T) => void,
  ) {}

  /** Sets the item's deadline; the term that it returns is wanted back by `remove`. */
  add(item: T, now: number, timeout: number): Set<T> {
    let term = this.#terms.get(timeout);
    if (term === undefined) {
      term = new Set();
      this.#terms.set(timeout, term);
    }
    // 0 would mean never.
    item.deadline = Math.ceil(now + timeout) || 1;
    term.add(item);
    this.#size++;
    if (item.deadline < this.#armedFor) this.#arm(item.deadline, now);
    return term;
  }

  remove(item: T, term: Set<T>): void {
    term.delete(item);
    if (--this.#size > 0) return;
    this.#disarm();
    this.#terms.clear();
  }

  /** Expires whose time is up, also where the timer is late because the event loop is busy. */
  sweep(): void {
    const now = this.clock.now();
    for (const [timeout, term] of this.#terms) {
      for (const item of term) {
        if (item.deadline > now) break;
        this.expire(item);
      }
      // Whoever was told may have come again, and have begun a new term.
      if (term.size === 0 && this.#terms.get(timeout) === term) this.#terms.delete(timeout);
    }
  }

  #arm(deadline: number, now: number): void {
    this.#disarm();
    this.#armedFor = deadline;
    const delay = Math.min(Math.max(deadline - now, 0), longestTimer);
    this.#timer = this.clock.setTimeout(() => this.#fire(), delay);
  }

  #disarm(): void {
    if (this.#armedFor === Number.POSITIVE_INFINITY) return;
    this.clock.clearTimeout(this.#timer);
    this.#armedFor = Number.POSITIVE_INFINITY;
  }

  #fire(): void {
    this.#armedFor = Number.POSITIVE_INFINITY;
    this.sweep();
    const now = this.clock.now();
    for (const term of this.#terms.values()) {
      for (const { deadline } of term) {
        if (deadline < this.#armedFor) this.#arm(deadline, now);
        break;
      }
    }
  }
}
