import { Alarm, type Clock } from '../clock.ts';
import { MAX_KINDS } from '../limits/limit.ts';

/** Assumed duration in milliseconds of requests of a kind that has not been measured. */
const UNMEASURED_MS = 1000;

/** Number of requests that the moving mean covers. */
const MAX_WEIGHT = 100;

/**
 * A single duration counts as at most this multiple of the mean. So a client that reads one response slowly, or a
 * database that hangs once, raises the mean by a tenth; 25 such requests raise it tenfold.
 */
const MAX_RATIO = 10;

/**
 * Measures how long answered requests take, for each kind, since some kinds take a thousand times as long as others.
 */
export class UsualDurations {
  readonly #kinds = new Map<string | undefined, MovingMean>();
  readonly #all = new MovingMean();
  /** The checks of the requests that `whenPassed` watches. */
  readonly #checks = new Set<(now: number) => void>();

  constructor(private readonly clock: Clock) {}

  /** Time in whole milliseconds (a double would be a heap object). */
  get now(): number {
    return Math.floor(this.clock.now());
  }

  /** Called when a request of this kind has been answered. */
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
    // Until now, requests of this kind were expected to take a second, so those that are being watched are checked
    // again.
    const now = this.clock.now();
    for (const check of [...this.#checks]) check(now);
  }

  /**
   * Returns how long a request of this kind usually takes, in milliseconds. A request without a kind may be for a file,
   * or may not have reached its route yet. Its usual duration is the mean of such requests or the mean of all requests,
   * whichever is longer.
   */
  of(kind: string | undefined): number {
    const mean = this.#kinds.get(kind);
    if (kind !== undefined && (mean !== undefined || this.#kinds.size < MAX_KINDS))
      return mean?.value ?? UNMEASURED_MS;
    if (this.#all.count === 0) return UNMEASURED_MS;
    return Math.max(this.#kinds.get(undefined)?.value ?? 0, this.#all.value);
  }

  /**
   * Calls back once the request has taken as long as such a request usually takes, or immediately if it already has.
   * Returns a function that cancels this.
   *
   * @param request Its `admittedAt` is a time of `now`. Its kind may become known later.
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

/** A moving mean. */
class MovingMean {
  count = 0;
  value = 0;

  add(duration: number): void {
    this.count = Math.min(this.count + 1, MAX_WEIGHT);
    const max = MAX_RATIO * Math.max(this.count === 1 ? UNMEASURED_MS : this.value, 1);
    // A negative duration occurs if a test has replaced the clock meanwhile.
    this.value += (Math.min(Math.max(duration, 0), max) - this.value) / this.count;
  }
}
