import { Alarm, type Clock } from '../clock.ts';
import { MAX_KINDS } from '../limits/limit.ts';

/** Milliseconds that a request is expected to take while none of its kind has been answered. */
const UNMEASURED_MS = 1000;

/** Number of requests over which a mean moves. */
const MAX_WEIGHT = 100;

/**
 * How many times the mean one request counts for at most: a client that reads a single response slowly, or a database
 * that hangs once, raises the mean by a tenth, and 25 such requests by a factor of ten.
 */
const MAX_RATIO = 10;

/** Measures how long answered requests take, by kind, since some kinds take a thousand times as long as others. */
export class UsualDurations {
  readonly #kinds = new Map<string | undefined, MovingMean>();
  readonly #all = new MovingMean();
  /** Of the requests that `whenPassed` watches. */
  readonly #checks = new Set<(now: number) => void>();

  constructor(private readonly clock: Clock) {}

  /** Time in whole milliseconds (a double would be a heap object). */
  get now(): number {
    return Math.floor(this.clock.now());
  }

  /** A request of this kind has been answered. */
  add(kind: string | undefined, duration: number): void {
    let mean = this.#kinds.get(kind);
    if (mean === undefined) {
      if (this.#kinds.size >= MAX_KINDS && kind !== undefined) return this.add(undefined, duration);
      mean = new MovingMean();
      this.#kinds.set(kind, mean);
    }
    mean.add(duration);
    this.#all.add(duration);
    if (mean.count > 1) return;
    // Requests of this kind no longer need to last for a second.
    const now = this.clock.now();
    for (const check of [...this.#checks]) check(now);
  }

  /**
   * How many milliseconds a request of this kind usually takes. One without a kind may be a file, or may not have reached
   * its route yet: the longer of the means of such requests and of all requests.
   */
  of(kind: string | undefined): number {
    const mean = this.#kinds.get(kind);
    if (kind !== undefined && (mean !== undefined || this.#kinds.size < MAX_KINDS))
      return mean?.value ?? UNMEASURED_MS;
    if (this.#all.count === 0) return UNMEASURED_MS;
    return Math.max(this.#kinds.get(undefined)?.value ?? 0, this.#all.value);
  }

  /**
   * Calls back once the request has lasted as long as such a request usually takes, at once if it has already. Returns a
   * function that cancels that.
   *
   * @param request `admittedAt` is by `now`; its kind may become known later.
   */
  whenPassed(
    request: { readonly admittedAt: number; readonly kind: string | undefined },
    callback: () => void,
  ): () => void {
    const check = (now: number) => {
      const due = request.admittedAt + this.of(request.kind);
      if (due > now) return alarm.set(due, now);
      cancel();
      callback();
    };
    const alarm = new Alarm(this.clock, check, true);
    const cancel = () => {
      alarm.clear();
      this.#checks.delete(check);
    };
    this.#checks.add(check);
    check(this.clock.now());
    return cancel;
  }
}

/** A mean that follows changes. */
class MovingMean {
  count = 0;
  value = 0;

  add(duration: number): void {
    this.count = Math.min(this.count + 1, MAX_WEIGHT);
    const max = MAX_RATIO * Math.max(this.count === 1 ? UNMEASURED_MS : this.value, 1);
    // Negative if a test has replaced the clock meanwhile.
    this.value += (Math.min(Math.max(duration, 0), max) - this.value) / this.count;
  }
}
