import type { Deadlines } from './deadlines.ts';
import type { Waiter } from './waiter.ts';

/** Waiters with the same timeout, in the order of their deadlines, so only the first can expire next. */
export class Term {
  first: Waiter | undefined = undefined;
  last: Waiter | undefined = undefined;
  /** A lower bound of the first waiter's deadline, which is updated lazily: not every change moves the bucket. */
  due = 0;
  /** Index in the heap. */
  place = 0;

  constructor(
    readonly owner: Deadlines,
    readonly timeout: number,
  ) {}
}

/** Buckets by `due`, as a binary heap, since callers may use as many different timeouts as there are waiters. */
export class TermHeap {
  readonly #terms: Term[] = [];

  get first(): Term | undefined {
    return this.#terms[0];
  }

  add(term: Term): void {
    this.#up(term, this.#terms.length);
  }

  delete(term: Term): void {
    const last = this.#terms.pop() as Term;
    if (last === term) return;
    this.#up(last, term.place);
    this.#down(last);
  }

  /** Restores the heap after the bucket's `due` has increased. */
  moveBack(term: Term): void {
    this.#down(term);
  }

  #up(term: Term, from: number): void {
    let place = from;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      const above = this.#terms[parent] as Term;
      if (above.due <= term.due) break;
      this.#put(above, place);
      place = parent;
    }
    this.#put(term, place);
  }

  #down(term: Term): void {
    let { place } = term;
    for (;;) {
      const left = this.#terms[2 * place + 1];
      const right = this.#terms[2 * place + 2];
      const child = right !== undefined && right.due < (left as Term).due ? right : left;
      if (child === undefined || child.due >= term.due) break;
      const { place: below } = child;
      this.#put(child, place);
      place = below;
    }
    this.#put(term, place);
  }

  #put(term: Term, place: number): void {
    this.#terms[place] = term;
    term.place = place;
  }
}
