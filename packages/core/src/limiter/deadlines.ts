import { type Clock, longestTimer } from '../clock.ts';
import type { Waiter } from './waiter.ts';

/** Whether its time is up, whatever its timer says. */
export function isLate({ deadline }: Waiter, now: number): boolean {
  return deadline !== 0 && now >= deadline;
}

/** Those with the same patience, in order of their deadlines. */
export class Term {
  first: Waiter | undefined = undefined;
  last: Waiter | undefined = undefined;

  constructor(
    readonly owner: Deadlines,
    readonly timeout: number,
  ) {}
}

/**
 * One timer for all who wait: of each term only the first need be looked at. Those who may wait for ever are known
 * here, too. No Map or Set holds them: its outgrown tables reach the old generation and keep finished requests alive
 * (docs/decisions/0008).
 */
export class Deadlines {
  readonly #terms = new Map<number, Term>();
  #timer: unknown;
  size = 0;
  #armedFor = Infinity;

  constructor(
    readonly clock: Clock,
    /** Removes the item, if it can. */
    private readonly expire: (item: Waiter) => void,
  ) {}

  /** Sets the item's deadline. */
  add(item: Waiter, now: number, timeout: number): void {
    let term = this.#terms.get(timeout);
    if (term === undefined) {
      term = new Term(this, timeout);
      this.#terms.set(timeout, term);
    }
    // 0 would mean never.
    item.deadline = timeout === Infinity ? 0 : Math.ceil(now + timeout) || 1;
    item.term = term;
    item.sooner = term.last;
    if (term.last === undefined) term.first = item;
    else term.last.later = item;
    term.last = item;
    this.size++;
    if (item.deadline !== 0 && item.deadline < this.#armedFor) this.#arm(item.deadline, now);
  }

  /** Does nothing for one that is timed elsewhere, or not at all. */
  remove(item: Waiter): void {
    const { term, sooner, later } = item;
    if (term?.owner !== this) return;
    if (sooner === undefined) term.first = later;
    else sooner.later = later;
    if (later === undefined) term.last = sooner;
    else later.sooner = sooner;
    item.term = undefined;
    item.sooner = undefined;
    item.later = undefined;
    if (term.first === undefined) this.#terms.delete(term.timeout);
    if (--this.size === 0) this.#disarm();
  }

  /** All of them, those with the same patience in order of arrival. */
  items(): Waiter[] {
    const items: Waiter[] = [];
    for (const { first } of this.#terms.values()) {
      for (let next = first; next !== undefined; next = next.later) items.push(next);
    }
    return items;
  }

  /** Expires all whose time is up, also where the timer is late because the event loop is busy. */
  sweep(): void {
    const now = this.clock.now();
    for (const term of [...this.#terms.values()]) {
      for (let { first } = term; first !== undefined && isLate(first, now); first = term.first) {
        this.expire(first);
        // A request between two limits of its gate is in no line: it finds out at the next.
        if (term.first === first) break;
      }
    }
  }

  #arm(deadline: number, now: number): void {
    this.#disarm();
    this.#armedFor = deadline;
    const delay = Math.min(Math.max(deadline - now, 0), longestTimer);
    this.#timer = this.clock.setTimeout(() => this.#fire(), delay);
  }

  #disarm(): void {
    if (this.#armedFor === Infinity) return;
    this.clock.clearTimeout(this.#timer);
    this.#armedFor = Infinity;
  }

  #fire(): void {
    this.#armedFor = Infinity;
    this.sweep();
    let next = Infinity;
    for (const { first } of this.#terms.values()) {
      if (first !== undefined && first.deadline !== 0) next = Math.min(next, first.deadline);
    }
    if (next < this.#armedFor) this.#arm(next, this.clock.now());
  }
}
