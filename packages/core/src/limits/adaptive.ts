import { Baselines } from './baseline.ts';
import { effectOf, type Measurement } from './effect.ts';
import {
  type Bounds,
  checkBounds,
  type Limit,
  type LimitFactory,
  type Range,
  type Sample,
  within,
} from './limit.ts';
import { Ramp } from './ramp.ts';
import { type Precision, precisions, Window } from './window.ts';

/** How much longer than its baseline work may take before the limit stops growing. */
const TOLERANCE = 1.4;

/** Factor by which a drop, or a window of slow work, lowers the limit. */
const BACKOFF = 0.9;

/** Factor of the largest decrease, however slow the work is. */
const MIN_BACKOFF = BACKOFF - 0.2;

/** Factor by which the limit rises after the ramp, until work takes longer than its baseline. */
const GROWTH_AFTER_RAMP = 1.5;

/** Consecutive decreases without effect after which work is taken to have become slower by itself. */
const MAX_FUTILE_DECREASES = 2;

/** Mean round trips after which samples are representative of a new limit. */
const SETTLING_RTTS = 2;

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
  /** From when samples are representative; undefined until work has finished that the present limit admitted. */
  #settledAt: number | undefined;
  /** Mean round trip of the latest window, in milliseconds; 0 until it is known. */
  #rtt = 0;
  /** The highest inflight at which work took no longer than its baseline. */
  #safeInflight = 1;
  /** Until the first overload. */
  #ramp: Ramp | undefined = new Ramp();
  /** The estimate of the ramp, to which the limit rises as soon as the baseline is known; 0 once it has been lowered. */
  #capacity = 0;
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

  /** Raises the limit: otherwise work that never finishes would keep it where it is forever. */
  stalled(): void {
    this.#move(this.limit + this.range.min);
  }

  sample(sample: Sample): void {
    const { rtt, inflight, outcome, now, kind } = sample;
    const { limit } = this;
    if (outcome !== 'dropped' && this.#followRamp(sample)) return;
    // Ignores work admitted under an earlier limit, which includes the other drops of the same overload.
    if (now - rtt < this.#movedAt) return;
    // Soon after the limit has moved, only short work can have been admitted since then and ended.
    this.#settledAt ??= now - rtt + SETTLING_RTTS * this.#rtt;
    if (outcome !== 'dropped' && now < this.#settledAt) return;
    if (outcome === 'dropped') this.#drop();
    else {
      this.#window.add(now, rtt, inflight, this.#baselines.note(kind, rtt));
      if (!this.#window.isOver(now, this.#precision)) return;
      this.#rtt = this.#window.rtt;
      this.#judge(this.#window);
    }
    this.#window = new Window();
    if (this.limit !== limit) this.#moved(now);
  }

  /** Applies the limit of the ramp, if that is not over. Returns whether it has moved the limit. */
  #followRamp(sample: Sample): boolean {
    const { limit } = this;
    const ramp = this.#ramp;
    if (ramp === undefined) return false;
    const next = ramp.next(sample, limit);
    this.#move(next);
    if (this.limit === limit && ramp.capacity === undefined) return false;
    this.#rtt = ramp.rtt;
    if (ramp.capacity !== undefined) {
      this.#ramp = undefined;
      this.#capacity = ramp.capacity;
      if (this.baseline === undefined) this.#baselines = new Baselines();
      // The work in flight is still in the way of what is admitted now.
      this.#rtt = 2 * ramp.duration;
    }
    this.#window = new Window();
    this.#moved(sample.now);
    return true;
  }

  #moved(now: number): void {
    this.#movedAt = now;
    this.#settledAt = undefined;
  }

  get #precision(): Precision {
    const hasRamp = this.#ramp !== undefined;
    if (this.baseline === undefined) {
      return hasRamp ? precisions.first : precisions.firstAfterRamp;
    }
    if (this.#isSlow && this.#cooldown === 0) return precisions.compared;
    return hasRamp ? precisions.starting : precisions.usual;
  }

  #drop(): void {
    this.#endStart();
    this.#before = undefined;
    this.#move(this.limit * BACKOFF);
  }

  #judge({ slowdown, margin, inflight, peak }: Window): void {
    const isSlow = slowdown !== undefined && slowdown > TOLERANCE + margin;
    const isQuiet = inflight <= Math.max(this.range.min, this.#safeInflight / 2);
    // The few samples of the first windows may be too short by chance, and work would look slow forever.
    const isEarly = slowdown === undefined || (this.#ramp !== undefined && slowdown <= TOLERANCE);
    this.#baselines.learn(isQuiet || isEarly);
    // A limit that was not nearly used says nothing about what the server can do.
    const isUsed = peak >= Math.floor(this.limit * BACKOFF);
    const ramp = this.#ramp;
    this.#ramp &&= new Ramp();
    if (slowdown === undefined) {
      // What queued while the limit rose may still delay all work.
      if (ramp?.isSlower) this.#baselines.lowerTo(ramp.first);
      if (isUsed) this.#raise();
      return;
    }
    const wasSlow = this.#isSlow;
    this.#isSlow = isSlow;
    if (isSlow) {
      this.#safeInflight = Math.min(this.#safeInflight, inflight);
      this.#lower({ limit: this.limit, slowdown, margin });
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
    if (isUsed) this.#raise();
  }

  #raise(): void {
    const { limit } = this;
    let next = limit + Math.sqrt(limit);
    // The ramp may have ended by chance, far below the capacity.
    if (this.#capacity > 0) next = Math.max(next, limit * GROWTH_AFTER_RAMP, this.#capacity);
    this.#move(next);
  }

  /** Lowers the limit again if the previous decrease has helped; otherwise reverts that. */
  #lower(now: Measurement): void {
    this.#endStart();
    if (this.#cooldown > 0) {
      this.#cooldown--;
      return;
    }
    const before = this.#before;
    if (before !== undefined) {
      const effect = effectOf(before, now);
      if (effect !== 'helped') return this.#revert(before.limit, effect);
      this.#futile = 0;
    }
    this.#before = now;
    const backoff = Math.max(MIN_BACKOFF, Math.min(BACKOFF, TOLERANCE / now.slowdown));
    this.#move(now.limit * backoff);
  }

  /** Undoes a decrease that has not helped. */
  #revert(limit: number, effect: 'futile' | 'unclear'): void {
    this.#before = undefined;
    this.#move(limit);
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
    this.#capacity = 0;
  }

  #move(to: number): void {
    this.limit = within(this.range, to);
  }
}
