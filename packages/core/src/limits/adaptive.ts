import { Baselines } from './baseline.ts';
import { effectOf, type Measurement } from './effect.ts';
import {
  type Bounds,
  checkBounds,
  isUsed,
  type Limit,
  type LimitFactory,
  type Range,
  type Sample,
  TOLERANCE,
  within,
} from './limit.ts';
import { Ramp } from './ramp.ts';
import { type Precision, precisions, Window } from './window.ts';

/** Factor by which a drop, or a window of slow work, lowers the limit. */
const BACKOFF = 0.9;

/** Factor of the largest decrease, however slow the work is. */
const MIN_BACKOFF = 0.7;

/** Factor by which the limit rises after the ramp, until work takes longer than its baseline. */
const GROWTH_AFTER_RAMP = 1.5;

/** Consecutive ineffective decreases after which the work itself counts as slower. */
const MAX_FUTILE_DECREASES = 2;

/** Mean round trips after which samples are representative of a new limit. */
const SETTLING_RTTS = 2;

/** By how much the limit rises in a stall, unless its minimum is higher or its initial value is lower. */
const RISE_IN_STALL = 8;

/** Windows until the limit is lowered again after a decrease with an unclear effect. */
const RETRY_AFTER_WINDOWS = 10;

/**
 * A limit that adapts to what the server can do concurrently. It grows while it is used and work takes no longer than
 * its baseline. It falls on drops, and while work takes longer and a lower limit helps.
 *
 * The baseline is the latency at low concurrency. Under load it is only corrected downwards, so that even a long
 * overload does not become the baseline. If a lower limit does not help, the load is not the cause: the decrease is
 * reverted, and after the second in a row the baseline is learnt again. The decrease follows the gradient of Envoy's
 * and Netflix's limiters; checking whether it has helped is new (ADR 0011).
 *
 * @throws HeadgateError for an unknown or invalid option.
 */
export function adaptive(options: Bounds = {}): LimitFactory {
  const range = checkBounds('adaptive', options);
  return { create: () => new Adaptive(range) };
}

class Adaptive implements Limit {
  limit: number;
  #baselines = new Baselines();
  #window = new Window();
  #movedAt = -Infinity;
  #loweredAt = -Infinity;
  /** When samples become representative of the limit; undefined until work that it admitted has finished. */
  #settledAt: number | undefined;
  /** Milliseconds from the start of that work until then. */
  #settlingTime = 0;
  /** The highest inflight at which work took no longer than its baseline. */
  #safeInflight = 1;
  /** Until the first overload. */
  #ramp: Ramp | undefined = new Ramp();
  /** The estimate of the ramp, to which the limit rises as soon as the baseline is known, until the limit is lowered. */
  #capacity: number | undefined;
  /** The measurement before the latest decrease, until it is known whether that has helped. */
  #before: Measurement | undefined;
  /** Whether work took longer than its baseline in the latest window, so that the next ones are compared. */
  #isSlow = false;
  /** Number of consecutive decreases without effect. */
  #futile = 0;
  /** Windows left until the limit may be lowered again. */
  #cooldown = 0;

  constructor(private readonly range: Range) {
    this.limit = range.initial;
  }

  get baseline(): number | undefined {
    return this.#baselines.mean;
  }

  /**
   * Raises the limit: otherwise work that does not finish would have all other requests rejected. Slowly, since a server
   * that is merely overloaded can look the same; but a limit below the stuck weight would admit nothing.
   */
  stalled(now: number, stuck: number): void {
    const { min, initial } = this.range;
    this.#before = undefined;
    this.#move(Math.max(this.limit, stuck) + Math.max(min, Math.min(initial, RISE_IN_STALL)), now);
  }

  sample(sample: Sample): void {
    const { rtt, outcome, now, kind } = sample;
    if (outcome === 'dropped') return this.#drop(sample);
    if (this.#followRamp(sample)) return;
    // Ignores work admitted under an earlier limit.
    if (now - rtt < this.#movedAt) return;
    // Soon after the limit has moved, only short work can have been admitted since then and ended.
    this.#settledAt ??= now - rtt + this.#settlingTime;
    if (now < this.#settledAt) return;
    const window = this.#window;
    window.add(sample, this.#baselines.note(kind, rtt));
    if (!window.isOver(now, this.#precision)) return;
    this.#settlingTime = SETTLING_RTTS * window.rtt;
    this.#window = new Window();
    this.#judge(window, now);
  }

  /** Feeds the ramp, while there is one. Returns whether the limit has moved. */
  #followRamp(sample: Sample): boolean {
    const { limit } = this;
    const ramp = this.#ramp;
    if (ramp === undefined) return false;
    this.#move(ramp.next(sample, limit), sample.now);
    if (ramp.capacity !== undefined) {
      this.#ramp = undefined;
      this.#capacity = ramp.capacity;
      // Work admitted before the limit fell still delays new work.
      this.#settlingTime = 2 * SETTLING_RTTS * ramp.history.firstRtt;
      this.#restart(sample.now);
      return true;
    }
    if (this.limit === limit) return false;
    this.#settlingTime = SETTLING_RTTS * ramp.history.rtt;
    return true;
  }

  get #precision(): Precision {
    const hasRamp = this.#ramp !== undefined;
    if (!this.#baselines.isKnown) {
      return hasRamp ? precisions.first : precisions.firstAfterRamp;
    }
    if (this.#isSlow && this.#cooldown === 0) return precisions.compared;
    return hasRamp ? precisions.duringRamp : precisions.usual;
  }

  /** Lowers the limit, once for all work admitted before. */
  #drop({ now, rtt }: Sample): void {
    if (now - rtt < this.#loweredAt) return;
    this.#endStart();
    this.#before = undefined;
    this.limit = within(this.range, this.limit * BACKOFF);
    this.#loweredAt = now;
    this.#restart(now);
  }

  #learn({ slowdown, inflight }: Window, now: number): void {
    const isQuiet = inflight <= Math.max(this.range.min, this.#safeInflight / 2);
    // The few samples of the first windows may be too short by chance, and work would look slow forever.
    const isEarly = this.#ramp !== undefined && (slowdown ?? 1) <= TOLERANCE;
    const isFirst = !this.#baselines.isKnown;
    this.#baselines.learn(isQuiet, isEarly);
    // What queued while the limit rose may still delay all work.
    if (isFirst && this.#ramp?.hasSlowedDown) this.#baselines.scaleDownTo(this.#ramp.history.first);
    // The ramp compares work of the present load only.
    this.#ramp &&= new Ramp(now);
  }

  #judge(window: Window, now: number): void {
    this.#learn(window, now);
    const { slowdown, margin, inflight, saturated } = window;
    const mayRise = isUsed(saturated, this.limit);
    if (slowdown === undefined) {
      if (mayRise) this.#raise(now);
      return;
    }
    const wasSlow = this.#isSlow;
    this.#isSlow = slowdown > TOLERANCE + margin;
    if (this.#isSlow) {
      this.#safeInflight = Math.min(this.#safeInflight, inflight);
      this.#lower({ limit: this.limit, slowdown, margin }, now);
      // Work became slow within the first such window, so that its mean cannot be compared.
      if (!wasSlow) this.#before = undefined;
      return;
    }
    this.#before = undefined;
    this.#futile = 0;
    this.#cooldown = 0;
    // The excess may be chance.
    if (slowdown > TOLERANCE) return;
    this.#safeInflight = Math.max(this.#safeInflight, inflight);
    if (mayRise) this.#raise(now);
  }

  #raise(now: number): void {
    const { limit } = this;
    const capacity = this.#capacity;
    const next = limit + Math.sqrt(limit);
    // The ramp may have ended by chance, far below the capacity.
    const least = capacity === undefined ? 0 : Math.max(limit * GROWTH_AFTER_RAMP, capacity);
    this.#move(Math.max(next, least), now);
  }

  /** Lowers the limit again if the previous decrease has helped; otherwise reverts that. */
  #lower(latest: Measurement, now: number): void {
    this.#endStart();
    if (this.#cooldown > 0) {
      this.#cooldown--;
      return;
    }
    const before = this.#before;
    if (before !== undefined) {
      const effect = effectOf(before, latest);
      if (effect !== 'helped') {
        this.#move(before.limit, now);
        return this.#noteIneffective(effect);
      }
      this.#futile = 0;
    }
    this.#before = latest;
    const backoff = Math.max(MIN_BACKOFF, Math.min(BACKOFF, TOLERANCE / latest.slowdown));
    this.#move(latest.limit * backoff, now);
  }

  /** A decrease has not helped, and was undone. */
  #noteIneffective(effect: 'futile' | 'unclear'): void {
    this.#before = undefined;
    if (effect === 'unclear') {
      this.#futile = 0;
      this.#cooldown = RETRY_AFTER_WINDOWS;
    } else if (++this.#futile === MAX_FUTILE_DECREASES) {
      this.#futile = 0;
      this.#baselines.forget();
    }
  }

  #endStart(): void {
    this.#ramp = undefined;
    this.#capacity = undefined;
  }

  #move(to: number, now: number): void {
    const { limit } = this;
    this.limit = within(this.range, to);
    if (this.limit < limit) this.#loweredAt = now;
    if (this.limit !== limit) this.#restart(now);
  }

  /** Discards the samples of the present window, and those of work admitted before. */
  #restart(now: number): void {
    this.#movedAt = now;
    this.#settledAt = undefined;
    this.#window = new Window();
    this.#baselines.discard();
  }
}
