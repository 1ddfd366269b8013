import { Baselines, MIN_BASELINE } from './baseline.ts';
import {
  type Decision,
  decide,
  decideDrop,
  hasJustFallen,
  initialState,
  isFarBelowReturn,
  type Reason,
} from './decide.ts';
import { AVERAGED, averaged } from './estimate.ts';
import {
  type Bounds,
  checkBounds,
  isUsed,
  type Limit,
  type LimitFactory,
  type Range,
  type Sample,
  saturatedLimit,
  within,
} from './limit.ts';
import { MIN_WINDOW_MS, marginOf, SLOW, Window } from './window.ts';

/** At first, the limit rises at least this fast per second. Otherwise most first requests of a slow service are rejected. */
const MIN_RISE_PER_SECOND = 16;

/** After a change, work is ignored for this number of mean durations: what ends first is short, and looks fast. */
const SETTLING_RTTS = 2;

/** The dependency has paused if nothing finishes for this number of mean durations, and for the length of a window. */
const PAUSE_RTTS = 5;

/** A pause up to this length delays later work for twice as long, in milliseconds. */
const MAX_PAUSE_MS = 1000;

/**
 * A limit that adapts to what the server can do concurrently. It grows while it is used and work takes no longer than
 * its baseline. It falls when work fails because of overload, and while work takes longer and a lower limit helps.
 *
 * The baseline is the latency at low concurrency. Under load it is only corrected downwards, so that even a long
 * overload does not become the baseline. If a lower limit does not help, the load is not the cause: the limit returns
 * to its earlier value, and the second time the baseline rises (ADR 0070).
 *
 * @throws HeadgateError for an unknown or invalid option.
 */
export function adaptive(options: Bounds = {}): LimitFactory {
  const range = checkBounds('adaptive', options);
  return { create: () => new Adaptive(range) };
}

/** Collects finished work, and lets `decide` decide. */
class Adaptive implements Limit {
  limit: number;
  #state = initialState;
  readonly #baselines = new Baselines();
  #window: Window | undefined;
  /** Work that was admitted earlier says nothing about the limit. */
  #movedAt = -Infinity;
  #loweredAt = -Infinity;
  /** When work becomes representative of the limit. Undefined until work has finished that the limit admitted. */
  #settledAt: number | undefined;
  #sampledAt: number | undefined;
  /** Until then, work is delayed by a pause of the dependency. */
  #delayedUntil = -Infinity;
  /** Moving average of the durations in milliseconds. */
  #mean = 0;
  /** Mean duration in the latest window, in milliseconds. */
  #rtt = 0;
  /** Work admitted until then is the first baseline. */
  #firstUntil = -Infinity;
  #finishes = 0;

  constructor(private readonly range: Range) {
    this.limit = range.initial;
  }

  get reason(): Reason | undefined {
    return this.#state.reason;
  }

  get baseline(): number | undefined {
    return this.#baselines.mean;
  }

  /** Without this rise, a server that hangs would hold all permits. */
  stalled(now: number, stuck: number): void {
    if (this.#finishes === 0) this.#firstUntil = now;
    this.#finishes ||= MIN_BASELINE;
    const state = { ...this.#state, before: undefined, reason: 'stuck' as const };
    this.#apply({ limit: Math.max(this.limit, stuck) + this.range.initial, state }, now);
  }

  sample(sample: Sample): void {
    const { rtt, outcome, now } = sample;
    if (outcome === 'dropped') return this.#drop(sample);
    const gap = now - (this.#sampledAt ?? now - rtt);
    this.#sampledAt = now;
    if (this.#state.isStarting) this.#rise(sample, gap);
    this.#notePause(sample, gap);
    if (now - rtt < this.#movedAt || now < this.#delayedUntil) return;
    if (this.#finishes++ < MIN_BASELINE) this.#firstUntil = now;
    if (this.#state.isStarting && now - rtt <= this.#firstUntil) {
      if (!this.#baselines.addFirst(sample)) return;
    } else if (now < this.#settle(sample)) return;
    else this.#baselines.add(sample);
    this.#window ??= new Window(now);
    this.#window.add(sample, this.#baselines.baselineOf(sample.kind));
    if (this.#window.isOver(now, this.#state.isSlow)) this.#judge(this.#window, now);
  }

  /** Raises the limit with each finished request, as in the slow start of TCP. */
  #rise(sample: Sample, gap: number): void {
    if (!isUsed(saturatedLimit(sample), this.limit)) return;
    const least = Math.min(gap / 1000, 1) * MIN_RISE_PER_SECOND;
    const limit = this.limit + Math.max(sample.weight, least);
    this.#apply({ limit, state: { ...this.#state, reason: 'used' } }, sample.now);
  }

  /** Ignores the work that a pause has delayed: it is slow, whatever the limit. */
  #notePause({ rtt, now }: Sample, gap: number): void {
    const isPause = gap <= rtt && gap > Math.max(MIN_WINDOW_MS, PAUSE_RTTS * this.#mean);
    if (isPause && this.#finishes > AVERAGED) {
      this.#delayedUntil = now + 2 * Math.min(gap, MAX_PAUSE_MS);
    }
    this.#mean = averaged(this.#mean, rtt);
  }

  /** Returns when work becomes representative of the limit. */
  #settle({ now, rtt }: Sample): number {
    const settling = isFarBelowReturn(this.limit, this.#state) ? 0 : SETTLING_RTTS * this.#rtt;
    this.#settledAt ??= now - rtt + settling;
    return this.#settledAt;
  }

  /** Further drops of work admitted before have no effect. */
  #drop({ now, rtt }: Sample): void {
    if (now - rtt < this.#loweredAt) return;
    this.#loweredAt = now;
    this.#apply(decideDrop(this.#state, this.limit), now);
  }

  #judge(window: Window, now: number): void {
    const { limit } = this;
    const state = this.#state;
    const seen = window.seen(now, limit, isUsed(window.saturated, limit));
    const isFast = seen.slowdown <= SLOW;
    const mayBeFast = hasJustFallen(state) && seen.slowdown - marginOf(seen) <= SLOW;
    const isQuiet = isFarBelowReturn(limit, state) || (isFast && seen.isLight);
    const decision = decide(state, seen, this.range.min);
    this.#baselines.learn({
      isQuiet,
      isFast: isFast || mayBeFast,
      isRising: state.isStarting && seen.isUsed,
    });
    if (decision.shift !== undefined) this.#baselines.shift(decision.shift);
    this.#rtt = window.rtt;
    this.#window = undefined;
    this.#apply(decision, now);
  }

  #apply({ limit: to, state }: Decision, now: number): void {
    const limit = within(this.range, to);
    const { reason } = limit === this.limit ? this.#state : state;
    this.#state = { ...state, reason };
    if (limit === this.limit) return;
    if (limit < this.limit) {
      this.#loweredAt = now;
      this.#baselines.discard();
    }
    this.limit = limit;
    // While the limit rises with each request, all work counts.
    if (state.isStarting) return;
    this.#movedAt = now;
    this.#settledAt = undefined;
    this.#window = undefined;
  }
}
