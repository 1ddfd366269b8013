import type { Suggestion } from '../semaphore/shadow-stats.ts';

/** The limit that the answers of a server show. */
export type MeasuredLimit = NonNullable<Suggestion['measured']>;

/** A window lasts at least a second and until it has this many answers, because the rate of fewer is chance. */
const ANSWERS_PER_WINDOW = 50;
const MIN_WINDOW_MS = 1_000;
/** Longer windows would hide a short overload. */
const MAX_WINDOW_MS = 20_000;
/** A longer window contains idle time, and would make the answers of an overload look calm. */
const MAX_GAP_MS = 2 * MAX_WINDOW_MS;
/** The numbers in flight of the windows of a level differ by less than this factor. */
const LEVEL_FACTOR = 1.2;
/** A rate of fewer windows may be chance. */
const MIN_WINDOWS = 5;
/** The calm part of the time, if it is sorted by the number in flight. It shows how long a request takes without load. */
const CALM = { from: 0.02, to: 0.25 };
/** Logs are exact to a millisecond, so shorter durations are too inexact to be compared. */
const MIN_CALM_MS = 1;
/** Saturated: requests took this many times as long as while few were in flight. */
const MIN_STRETCH = 2;
/** If the rate falls by more, a dependency was slow, rather than the server saturated. */
const MIN_RATE = 0.7;
/** The first requests show how long one takes before there is a queue. More of them would wait in it. */
const MAX_FIRST = 20;
/** A quiet time has at most this part of the highest rate. Rates above vary by chance, also in an overload. */
const QUIET = 0.5;
/** A limit equal to the mean number in flight would leave a part of the server idle whenever fewer requests are there. */
const MARGIN = 1.2;

/** The sums of windows with about the same number in flight. */
interface Level {
  readonly windows: number;
  /** Milliseconds. */
  readonly time: number;
  /** Weight of the answered requests. */
  readonly answered: number;
  /** Weight of the answered requests × milliseconds. */
  readonly held: number;
}

/**
 * Finds a limit in the answers of a server: the highest rate of answers × the duration of a request while few are in
 * flight (Little's law), and a fifth more. Durations under overload contain the time in queues behind the limit, so a
 * limit made of them would have no bound (docs/decisions/0077). The memory does not depend on the number of answers.
 */
export class MeasuredCapacity {
  /** By the logarithm of the number in flight. */
  readonly #levels = new Map<number, Level>();
  /** Milliseconds of all windows. */
  #measured = 0;
  /** By their start, because the first to end are the shortest. */
  #first: readonly (Level & { readonly start: number })[] = [];
  #start = Number.NaN;
  #answered = 0;
  #held = 0;

  /**
   * Called for each answer, in the order of their ends.
   *
   * @param end When the request ended, in milliseconds.
   * @param duration Milliseconds.
   */
  add(end: number, duration: number, weight = 1): void {
    const time = end - this.#start;
    this.#addFirst(end - duration, { ...none, answered: weight, held: duration * weight });
    // The first answer, or the first after an idle time; or the clock was set back, or an older log follows.
    if (!(Math.abs(time) <= MAX_GAP_MS)) return this.#begin(end);
    this.#answered += weight;
    this.#held += duration * weight;
    const isEnough = this.#answered >= ANSWERS_PER_WINDOW && time >= MIN_WINDOW_MS;
    if (isEnough || time >= MAX_WINDOW_MS) this.#close(end, time);
  }

  #addFirst(start: number, request: Level): void {
    const last = this.#first[MAX_FIRST - 1];
    if (last !== undefined && start >= last.start) return;
    const all = [...this.#first, { ...request, start }];
    this.#first = all.sort((one, other) => one.start - other.start).slice(0, MAX_FIRST);
  }

  #close(end: number, time: number): void {
    const window = { windows: 1, time, answered: this.#answered, held: this.#held };
    const inflight = Math.max(this.#held / time, 0.01);
    const number = Math.round(Math.log(inflight) / Math.log(LEVEL_FACTOR));
    this.#levels.set(number, sumOf(this.#levels.get(number) ?? none, window));
    this.#measured += time;
    this.#begin(end);
  }

  #begin(start: number): void {
    this.#start = start;
    this.#answered = 0;
    this.#held = 0;
  }

  /** Undefined after too few answers, and if there was nothing but an overload, whose durations contain the queue. */
  get limit(): MeasuredLimit | undefined {
    const groups: Level[] = [];
    let [group, calm] = [none, none];
    let below = this.#measured;
    for (const [, level] of [...this.#levels].sort(([one], [other]) => other - one)) {
      below -= level.time;
      const isCalm = below + level.time > CALM.from * this.#measured;
      if (isCalm && below < CALM.to * this.#measured) calm = sumOf(calm, level);
      // Neighbouring levels together, from the highest on, because a short overload has few windows of each.
      group = sumOf(group, level);
      if (group.windows < MIN_WINDOWS) continue;
      groups.push(group);
      group = none;
    }
    if (groups.length === 0) return undefined;
    const rate = Math.max(...groups.map(rateOf));
    const duration = durationOf(calm);
    const isQuiet = rateOf(calm) <= QUIET * rate;
    if (!isQuiet && duration >= stretchedFrom(durationOf(this.#first.reduce(sumOf, none))))
      return undefined;
    const stretched = stretchedFrom(duration);
    const isSaturated = groups.some(
      (each) => durationOf(each) >= stretched && rateOf(each) >= MIN_RATE * rate,
    );
    const limit = Math.max(1, Math.round((MARGIN * rate * duration) / 1000));
    return { limit, isSaturated, rate, duration };
  }
}

const none: Level = { windows: 0, time: 0, answered: 0, held: 0 };

const rateOf = ({ answered, time }: Level) => (1000 * answered) / time;

const durationOf = ({ held, answered }: Level) => held / answered;

/** The milliseconds from which a request counts as slowed down, if it takes this long otherwise. */
const stretchedFrom = (duration: number) => MIN_STRETCH * Math.max(duration, MIN_CALM_MS);

const sumOf = (one: Level, other: Level): Level => ({
  windows: one.windows + other.windows,
  time: one.time + other.time,
  answered: one.answered + other.answered,
  held: one.held + other.held,
});
