import { Alarm, type Clock } from '../clock.ts';
import { Heap } from './heap.ts';
import { TimeoutBucket, type Waiter } from './waiter.ts';

/** The latest arrival number. Waiters of all queues are numbered in the order of arrival. */
let latest = 0;

/** Whether the waiter's deadline has passed, even if its timer has not fired yet. */
export function isLate({ deadline }: Waiter, now: number): boolean {
  return deadline !== 0 && now >= deadline;
}

/** The clock that has set the waiter's deadline. A gate may use another clock than the limiters that it reuses. */
export function clockOf({ timeoutBucket }: Waiter, own: { readonly clock: Clock }): Clock {
  return (timeoutBucket?.deadlines ?? own).clock;
}

/**
 * Expires waiters with a single timer, which is set to the earliest deadline of all buckets. Also tracks waiters
 * without a deadline, so that `close()` can reach them. Waiters are linked: the outgrown tables of a Map or Set would
 * be promoted to the old generation and keep finished requests alive (docs/decisions/0008).
 */
export class Deadlines {
  readonly buckets = new Map<number, TimeoutBucket>();
  /** Buckets with a finite timeout. A heap, since there may be as many different timeouts as waiters. */
  readonly #heap = new Heap<TimeoutBucket>();
  readonly #alarm: Alarm;
  size = 0;

  constructor(
    readonly clock: Clock,
    /** Rejects the waiter. Does not remove it from here if it is between two limits of its gate. */
    private readonly expire: (waiter: Waiter) => void,
  ) {
    this.#alarm = new Alarm(clock, (now) => this.#ring(now));
  }

  /**
   * Sets the waiter's arrival number and deadline, and tracks the waiter. If `timeout` is undefined, does not track it.
   */
  start(waiter: Waiter, timeout: number | undefined): void {
    // A gate's request already has its arrival number and its deadline.
    if (waiter.arrival !== 0) return;
    const now = this.clock.now();
    waiter.arrival = ++latest;
    waiter.since = Math.floor(now);
    waiter.deadline = 0;
    if (timeout !== undefined) this.#add(waiter, now, timeout);
  }

  #add(waiter: Waiter, now: number, timeout: number): void {
    // 0 means no deadline, so a deadline of 0 is set to 1.
    waiter.deadline = timeout === Infinity ? 0 : Math.ceil(now + timeout) || 1;
    const bucket = this.buckets.get(timeout) ?? this.#open(timeout, waiter.deadline);
    waiter.timeoutBucket = bucket;
    waiter.sooner = bucket.last;
    if (bucket.last === undefined) bucket.first = waiter;
    else bucket.last.later = waiter;
    bucket.last = waiter;
    this.size++;
    if (waiter.deadline !== 0) this.#alarm.set(waiter.deadline, now);
  }

  /** Does nothing for a waiter that is not tracked here. */
  remove(waiter: Waiter): void {
    const { timeoutBucket: bucket, sooner, later } = waiter;
    if (bucket?.deadlines !== this) return;
    if (sooner === undefined) bucket.first = later;
    else sooner.later = later;
    if (later === undefined) bucket.last = sooner;
    else later.sooner = sooner;
    waiter.timeoutBucket = undefined;
    waiter.sooner = undefined;
    waiter.later = undefined;
    if (bucket.first === undefined) {
      this.buckets.delete(bucket.timeout);
      if (bucket.timeout !== Infinity) this.#heap.delete(bucket);
    }
    if (--this.size === 0) this.#alarm.clear();
  }

  /** Expires all waiters whose deadline has passed, even if the timer is late because the event loop is busy. */
  sweep(now = this.clock.now()): void {
    const stuck: TimeoutBucket[] = [];
    for (
      let bucket = this.#findFirst();
      bucket !== undefined && bucket.due <= now;
      bucket = this.#findFirst()
    ) {
      const first = bucket.first as Waiter;
      this.expire(first);
      // A waiter between two limits of its gate is in no queue. The next limit rejects it.
      if (bucket.first !== first) continue;
      stuck.push(bucket);
      this.#heap.moveBack(bucket, Infinity);
    }
    for (const { timeout } of stuck) this.#restore(this.buckets.get(timeout));
  }

  /** Expires the waiters here, and those of this queue that are tracked elsewhere: a gate tracks its own requests. */
  sweepQueue(semaphore: { readonly oldest: Waiter | undefined }): void {
    this.sweep();
    for (let { oldest } = semaphore; oldest !== undefined; oldest = semaphore.oldest) {
      const deadlines = oldest.timeoutBucket?.deadlines;
      if (deadlines === this) return;
      deadlines?.sweep();
      if (oldest.queuedIn === semaphore) return;
    }
  }

  #open(timeout: number, deadline: number): TimeoutBucket {
    const bucket = new TimeoutBucket(this, timeout);
    this.buckets.set(timeout, bucket);
    bucket.due = deadline;
    if (timeout !== Infinity) this.#heap.add(bucket);
    return bucket;
  }

  /** The bucket whose first waiter expires next. */
  #findFirst(): TimeoutBucket | undefined {
    let bucket = this.#heap.first;
    // If the first waiter of a bucket has left, moves the bucket to the deadline of its next waiter.
    for (; bucket?.first && bucket.due < bucket.first.deadline; bucket = this.#heap.first) {
      this.#heap.moveBack(bucket, bucket.first.deadline);
    }
    return bucket;
  }

  #restore(bucket: TimeoutBucket | undefined): void {
    if (bucket?.due !== Infinity) return;
    this.#heap.delete(bucket);
    bucket.due = (bucket.first as Waiter).deadline;
    this.#heap.add(bucket);
  }

  #ring(now: number): void {
    this.sweep(now);
    const next = this.#findFirst()?.due ?? Infinity;
    this.#alarm.set(next, Math.max(now, this.clock.now()));
  }
}

/**
 * Returns all waiters; those with the same timeout in order of arrival. A function, so that a bundle without gates can
 * omit it.
 */
export function waitersOf({ buckets }: Deadlines): Waiter[] {
  const waiters: Waiter[] = [];
  for (const { first } of buckets.values()) {
    for (let next = first; next !== undefined; next = next.later) waiters.push(next);
  }
  return waiters;
}
