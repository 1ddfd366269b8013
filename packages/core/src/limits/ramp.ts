import type { Sample } from './limit.ts';
import { slowdownOf, type Work } from './trend.ts';
import { Mean } from './window.ts';

/** By how much the limit rises per second at least. */
const MIN_RISE_PER_SECOND = 16;

/** Milliseconds without finished work that count towards this rise. */
const MAX_GAP = 1000;

/** Fraction of the limit that must be in use for the limit to rise. */
const MIN_USE = 0.9;

/** Fraction of the limit below which there is no load that work should be compared for. */
const LIGHT_USE = 1 / 3;

/** Work counts for at least this long while the limit is not used: in milliseconds, and in mean round trips. */
const MAX_UNUSED = 2000;
const MAX_UNUSED_RTTS = 20;

/** How much longer than the first work later work takes in an overload. */
const TOLERANCE = 1.4;

/** Maximum amount of finished work that is compared. Of more, every second, every fourth and so on is kept. */
const MAX_KEPT = 256;

/** How much more work must have finished until it is compared again, as a factor. */
const COMPARED_AFTER = 1.05;

/** Fraction of the work that counts as the first. */
const FIRST = 0.125;

/** Minimum number of requests that count as the first. */
const MIN_FIRST = 8;

/** The estimated capacity may be twice the real one: the first work also takes longer if all work shares a processor. */
const SAFE_PART = 0.6;

/**
 * The first phase of an adaptive limit: it rises as far as it is used, until work that starts later takes longer.
 *
 * It does not wait until work has finished under each limit, which would reject nearly all requests to a slow service
 * for many round trips. It rises by one for each finished request, as in the slow start of TCP, and by 16 per second
 * at least. Work that has finished so far is mostly short, and later work would seem slow. So only work is compared
 * that started in the first half of the time: what of it has not finished hides a slowdown rather than feigns one.
 */
export class Ramp {
  /** After an overload, how many requests can be served at once: an estimate. The ramp has ended then. */
  capacity: number | undefined;
  #work: Work[] = [];
  /** One sample of this number is kept. */
  #interval = 1;
  /** Amount of finished work at which it is compared next. */
  #nextComparison = 0;
  #rtt = new Mean();
  /** When the first of this work started. */
  #beganAt = Infinity;
  /** When the last of it finished. */
  #endedAt = -Infinity;
  #sampledAt: number | undefined;
  /** When the limit was last used. */
  #usedAt = -Infinity;

  /** Mean round trip in milliseconds. */
  get rtt(): number {
    return this.#rtt.value;
  }

  /** Whether the work that started later took longer. */
  get isSlower(): boolean {
    return slowdownOf(this.#earlier) > TOLERANCE;
  }

  /** The work that started first, when few requests were in flight. */
  get first(): readonly Work[] {
    const earlier = this.#earlier;
    earlier.sort((one, other) => one.startedAt - other.startedAt);
    return earlier.slice(0, Math.max(MIN_FIRST, earlier.length * FIRST));
  }

  /** Mean time of the first work in milliseconds. */
  get duration(): number {
    const { first } = this;
    return first.reduce((sum, { rtt }) => sum + rtt, 0) / first.length;
  }

  /** Returns the limit that applies after this sample. */
  next(sample: Sample, limit: number): number {
    const { now, rtt, inflight } = sample;
    const gap = Math.min(now - (this.#sampledAt ?? now - rtt), MAX_GAP);
    this.#sampledAt = now;
    const isLight = inflight < limit * LIGHT_USE;
    // After an hour of light load, the first half of the time would end long before the overload.
    if (isLight || this.#isObsolete(now)) this.#forget();
    if (!isLight) this.#add(sample);
    // A slowdown of a limit that is not used has another cause.
    if (inflight < Math.round(limit * MIN_USE)) return limit;
    this.#usedAt = now;
    this.capacity = this.#exceededCapacity();
    if (this.capacity !== undefined) return this.capacity * SAFE_PART;
    return limit + Math.max(1, (gap / 1000) * MIN_RISE_PER_SECOND);
  }

  /** Whether the limit has not been used for so long that this work says nothing about the present load. */
  #isObsolete(now: number): boolean {
    const unused = now - Math.max(this.#usedAt, this.#beganAt);
    return unused > Math.max(MAX_UNUSED, MAX_UNUSED_RTTS * this.rtt);
  }

  #forget(): void {
    if (this.#work.length === 0) return;
    this.#work = [];
    this.#interval = 1;
    this.#nextComparison = 0;
    this.#rtt = new Mean();
    this.#beganAt = Infinity;
    this.#endedAt = -Infinity;
  }

  #add({ now, rtt, kind }: Sample): void {
    const startedAt = now - rtt;
    this.#beganAt = Math.min(this.#beganAt, startedAt);
    this.#endedAt = now;
    this.#rtt.add(rtt);
    if (this.#rtt.count % this.#interval > 0) return;
    this.#work.push({ startedAt, rtt, kind });
    if (this.#work.length <= MAX_KEPT) return;
    this.#work = this.#work.filter((_, index) => index % 2 === 0);
    this.#interval *= 2;
  }

  /**
   * If there is an overload, how many requests can be served at once, by Little's law: the rate at which they finish,
   * times the duration of the first ones.
   */
  #exceededCapacity(): number | undefined {
    const { count } = this.#rtt;
    if (count < this.#nextComparison) return undefined;
    this.#nextComparison = count * COMPARED_AFTER;
    if (!this.isSlower) return undefined;
    const finished = this.#work.filter(({ startedAt, rtt }) => startedAt + rtt > this.#middle);
    return (this.duration * finished.length * this.#interval) / (this.#endedAt - this.#middle);
  }

  /** The work that started in the first half of the time. */
  get #earlier(): Work[] {
    return this.#work.filter(({ startedAt }) => startedAt <= this.#middle);
  }

  get #middle(): number {
    return (this.#beganAt + this.#endedAt) / 2;
  }
}
