import type { Deadlines } from './deadlines.ts';
import type { Waiter } from './waiter.ts';

/** Waiters with the same timeout, in the order of their deadlines, so only the first can expire next. */
export class TimeoutBucket {
  first: Waiter | undefined = undefined;
  last: Waiter | undefined = undefined;
  /** A lower bound of the first waiter's deadline, which is updated lazily: not every change moves the bucket. */
  due = 0;
  /** Index in the heap. */
  index = 0;

  constructor(
    readonly owner: Deadlines,
    readonly timeout: number,
  ) {}
}

/** Buckets by `due`, as a binary heap, since callers may use as many different timeouts as there are waiters. */
export class TimeoutBucketHeap {
  readonly #terms: TimeoutBucket[] = [];

  get first(): TimeoutBucket | undefined {
    return this.#terms[0];
  }

  add(bucket: TimeoutBucket): void {
    this.#up(bucket, this.#terms.length);
  }

  delete(bucket: TimeoutBucket): void {
    const last = this.#terms.pop() as TimeoutBucket;
    if (last === bucket) return;
    this.#up(last, bucket.index);
    this.#down(last);
  }

  /** Restores the heap after the bucket's `due` has increased. */
  moveBack(bucket: TimeoutBucket): void {
    this.#down(bucket);
  }

  #up(bucket: TimeoutBucket, from: number): void {
    let place = from;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      const above = this.#terms[parent] as TimeoutBucket;
      if (above.due <= bucket.due) break;
      this.#put(above, place);
      place = parent;
    }
    this.#put(bucket, place);
  }

  #down(bucket: TimeoutBucket): void {
    let { index: place } = bucket;
    for (;;) {
      const left = this.#terms[2 * place + 1];
      const right = this.#terms[2 * place + 2];
      const child = right !== undefined && right.due < (left as TimeoutBucket).due ? right : left;
      if (child === undefined || child.due >= bucket.due) break;
      const { index: below } = child;
      this.#put(child, place);
      place = below;
    }
    this.#put(bucket, place);
  }

  #put(bucket: TimeoutBucket, place: number): void {
    this.#terms[place] = bucket;
    bucket.index = place;
  }
}
