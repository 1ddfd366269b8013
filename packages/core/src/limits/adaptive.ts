import { Baselines } from './baseline.ts';
import { BACKOFF, Decreases } from './decreases.ts';
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

/** Factor by which the limit rises per step after the ramp, until work takes longer than its baseline. */
const GROWTH_AFTER_RAMP = 1.5;

/**
 * The fraction of the estimated capacity that is used until the baseline is known. The estimate may be twice the capacity:
 * if all work shares a processor, even the first work takes longer than it would alone.
 */
const SAFE_PART = 0.6;

/** Number of mean round trips after which samples are representative of a new limit. */
const SETTLING_RTTS = 2;

/** By how much a stall raises the limit, unless its minimum is higher or its initial value is lower. */
const RISE_IN_STALL = 8;

/**
 * A limit that adapts to what the server can do concurrently. It grows while it is used and work takes no longer than
 * its baseline. It falls when work fails because of overload, and while work takes longer and a lower limit helps.
 *
 * The baseline is the latency at low concurrency. Under load it is only corrected downwards, so that even a long
 * overload does not become the baseline. If a lower limit does not help, the load is not the cause: the decrease is
 * reverted, and after two such decreases in a row the baseline is learnt again. The decrease follows the gradient of
 * Envoy's and Netflix's limiters; checking whether it has helped is new (ADR 0011).
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
  /**
   * When samples become representative of the limit; undefined until some work has finished that the limit admitted.
   */
  #settledAt: number | undefined;
  /** Milliseconds from the start of the first work under a new limit until samples are representative of it. */
  #settlingTime = 0;
  /** The highest weight in flight at which work took no longer than its baseline. */
  #safeInflight = 1;
  /** Until the first overload. */
  #ramp: Ramp | undefined = new Ramp();
  /**
   * The capacity that the ramp has estimated. The limit rises to it as soon as the baseline is known. Undefined once
   * the limit has been lowered.
   */
  #capacity: number | undefined;
  readonly #decreases = new Decreases();
  /**
   * Whether work took longer than its baseline in the latest window. If so, the next windows are long enough to be
   * compared.
   */
  #isSlow = false;

  constructor(private readonly range: Range) {
    this.limit = range.initial;
  }

  get baseline(): number | undefined {
    return this.#baselines.mean;
  }

  /**
   * Raises the limit, since all other requests would be rejected while the stuck work does not finish. The limit rises
   * slowly, since an overloaded server can look the same. But it must exceed the stuck weight, or it would admit
   * nothing.
   */
  stalled(now: number, stuck: number): void {
    const { min, initial } = this.range;
    this.#decreases.forgetLast();
    this.#move(Math.max(this.limit, stuck) + Math.max(min, Math.min(initial, RISE_IN_STALL)), now);
  }

  sample(sample: Sample): void {
    const { rtt, outcome, now, kind } = sample;
    if (outcome === 'dropped') return this.#drop(sample);
    if (this.#followRamp(sample)) return;
    // Ignores work admitted under an earlier limit.
    if (now - rtt < this.#movedAt) return;
    // At first, only short work has both started and finished under the new limit.
    this.#settledAt ??= now - rtt + this.#settlingTime;
    if (now < this.#settledAt) return;
    const window = this.#window;
    window.add(sample, this.#baselines.note(kind, rtt));
    if (!window.isOver(now, this.#precision)) return;
    this.#settlingTime = SETTLING_RTTS * window.rtt;
    this.#window = new Window();
    this.#judge(window, now);
  }

  /** Updates the ramp, while there is one. Returns whether the limit has changed. */
  #followRamp(sample: Sample): boolean {
    const { limit } = this;
    const ramp = this.#ramp;
    if (ramp === undefined) return false;
    this.#move(ramp.next(sample, limit), sample.now);
    if (ramp.capacity !== undefined) {
      if (!this.#baselines.isKnown) this.#move(ramp.capacity * SAFE_PART, sample.now);
      this.#ramp = undefined;
      this.#capacity = ramp.capacity;
      // The work that was admitted before the limit fell still delays new work.
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
    if (this.#isSlow && !this.#decreases.isOnHold) return precisions.compared;
    return hasRamp ? precisions.duringRamp : precisions.usual;
  }

  /** Lowers the limit. Further drops of work admitted before have no effect. */
  #drop({ now, rtt }: Sample): void {
    if (now - rtt < this.#loweredAt) return;
    this.#endStart();
    this.#decreases.forgetLast();
    this.limit = within(this.range, this.limit * BACKOFF);
    this.#loweredAt = now;
    this.#restart(now);
  }

  #learn({ slowdown, inflight }: Window, now: number): void {
    const isQuiet = inflight <= Math.max(this.range.min, this.#safeInflight / 2);
    // The first windows have few samples, which may be too short by chance. Work would then look slow forever.
    const isEarly = this.#ramp !== undefined && (slowdown ?? 1) <= TOLERANCE;
    const isFirst = !this.#baselines.isKnown;
    this.#baselines.learn(isQuiet, isEarly);
    // Requests that queued at the server while the limit rose may still delay all work, so the baseline may be too
    // high.
    if (isFirst && this.#ramp?.hasSlowedDown) this.#baselines.scaleDownTo(this.#ramp.history.first);
    // Restarts the ramp, which must only compare work under the present load.
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
      this.#endStart();
      // If work became slow within this window, the mean of the window cannot be compared with the next one.
      this.#move(this.#decreases.next({ limit: this.limit, slowdown, margin }, wasSlow), now);
      if (this.#decreases.areFutile) this.#baselines.forget();
      return;
    }
    const { limitBefore } = this.#decreases;
    this.#decreases.reset();
    // The excess may be chance.
    if (slowdown > TOLERANCE) return;
    this.#safeInflight = Math.max(this.#safeInflight, inflight);
    // If the limit is not used, it cannot be the reason that work is fast again, so it returns to its earlier value.
    if (mayRise) this.#raise(now);
    else if (limitBefore !== undefined) this.#move(limitBefore, now);
  }

  #raise(now: number): void {
    const { limit } = this;
    const capacity = this.#capacity;
    const next = limit + Math.sqrt(limit);
    // The ramp may have ended by chance, when the limit was still far below the capacity.
    const least = capacity === undefined ? 0 : Math.max(limit * GROWTH_AFTER_RAMP, capacity);
    this.#move(Math.max(next, least), now);
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
