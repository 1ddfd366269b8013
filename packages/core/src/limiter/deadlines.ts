import { type Clock, dueTime, longestTimer } from '../clock.ts';
import { Term, TermHeap } from './terms.ts';
import type { Waiter } from './waiter.ts';

/** Whether the waiter's deadline has passed, even if its timer has not fired yet. */
export function isLate({ deadline }: Waiter, now: number): boolean {
  return deadline !== 0 && now >= deadline;
}

/**
 * Expires waiters with a single timer, set to the earliest deadline of all buckets. Also tracks waiters without a
 * deadline, so that `close()` can reach them. Waiters are linked, not kept in a Map or Set, whose outgrown tables
 * would be promoted to the old generation and keep finished requests alive (docs/decisions/0008).
 */
export class Deadlines {
  readonly #terms = new Map<number, Term>();
  /** Buckets with a finite timeout. */
  readonly #heap = new TermHeap();
  #timer: unknown;
  size = 0;
  #armedFor = Infinity;

  constructor(
    readonly clock: Clock,
    /** Removes the waiter, unless it is between two limits of its gate. */
    private readonly expire: (item: Waiter) => void,
  ) {}

  /** Sets the waiter's deadline and tracks it. */
  add(item: Waiter, now: number, timeout: number): void {
    // 0 means no deadline, so a deadline at time 0 becomes 1.
    item.deadline = timeout === Infinity ? 0 : Math.ceil(now + timeout) || 1;
    const term = this.#terms.get(timeout) ?? this.#open(timeout, item.deadline);
    item.term = term;
    item.sooner = term.last;
    if (term.last === undefined) term.first = item;
    else term.last.later = item;
    term.last = item;
    this.size++;
    if (item.deadline !== 0 && item.deadline < this.#armedFor) this.#arm(item.deadline, now);
  }

  /** Does nothing for a waiter that is not tracked here. */
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
    if (term.first === undefined) this.#close(term);
    if (--this.size === 0) this.#disarm();
  }

  /** All waiters; those with the same timeout in order of arrival. */
  items(): Waiter[] {
    const items: Waiter[] = [];
    for (const { first } of this.#terms.values()) {
      for (let next = first; next !== undefined; next = next.later) items.push(next);
    }
    return items;
  }

  /** Expires all waiters whose deadline has passed, even if the timer is late because the event loop is busy. */
  sweep(now = this.clock.now()): void {
    const stuck: Term[] = [];
    for (let term = this.#first; term !== undefined && term.due <= now; term = this.#first) {
      const first = term.first as Waiter;
      this.expire(first);
      // A request between two limits of its gate is in no queue: the next limit rejects it.
      if (term.first !== first) continue;
      stuck.push(term);
      this.#moveTo(term, Infinity);
    }
    for (const { timeout } of stuck) this.#restore(this.#terms.get(timeout));
  }

  #open(timeout: number, deadline: number): Term {
    const term = new Term(this, timeout);
    this.#terms.set(timeout, term);
    term.due = deadline;
    if (timeout !== Infinity) this.#heap.add(term);
    return term;
  }

  #close(term: Term): void {
    this.#terms.delete(term.timeout);
    if (term.timeout !== Infinity) this.#heap.delete(term);
  }

  /** The bucket whose first waiter expires next. */
  get #first(): Term | undefined {
    let term = this.#heap.first;
    // Updates lower bounds of waiters that have left.
    for (; term?.first && term.due < term.first.deadline; term = this.#heap.first) {
      this.#moveTo(term, term.first.deadline);
    }
    return term;
  }

  #moveTo(term: Term, due: number): void {
    term.due = due;
    this.#heap.moveBack(term);
  }

  #restore(term: Term | undefined): void {
    if (term?.due !== Infinity) return;
    this.#heap.delete(term);
    term.due = (term.first as Waiter).deadline;
    this.#heap.add(term);
  }

  #arm(deadline: number, now: number): void {
    this.#disarm();
    this.#armedFor = Math.min(deadline, now + longestTimer);
    const delay = Math.max(this.#armedFor - now, 0);
    this.#timer = this.clock.setTimeout(() => this.#fire(), delay);
  }

  #disarm(): void {
    if (this.#armedFor === Infinity) return;
    this.clock.clearTimeout(this.#timer);
    this.#armedFor = Infinity;
  }

  #fire(): void {
    const now = dueTime(this.clock, this.#armedFor);
    this.#armedFor = Infinity;
    this.sweep(now);
    const next = this.#first?.due ?? Infinity;
    if (next < this.#armedFor) this.#arm(next, Math.max(now, this.clock.now()));
  }
}
