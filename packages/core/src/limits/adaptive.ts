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

/** Factor by which the limit rises after the ramp, until work takes longer than its baseline. */
const GROWTH_AFTER_RAMP = 1.5;

/** Mean round trips after which samples are representative of a new limit. */
const SETTLING_RTTS = 2;

/** By how much the limit rises in a stall, unless its minimum is higher or its initial value is lower. */
const RISE_IN_STALL = 8;

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
  /** Milliseconds from the start of the first work under a new limit until `#settledAt`. */
  #settlingTime = 0;
  /** The highest inflight at which work took no longer than its baseline. */
  #safeInflight = 1;
  /** Until the first overload. */
  #ramp: Ramp | undefined = new Ramp();
  /** The estimate of the ramp, to which the limit rises as soon as the baseline is known, until the limit is lowered. */
  #capacity: number | undefined;
  readonly #decreases = new Decreases();
  /** Whether work took longer than its baseline in the latest window, so that the next ones are compared. */
  #isSlow = false;

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
    this.#decreases.forgetLast();
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
    if (this.#isSlow && !this.#decreases.isOnHold) return precisions.compared;
    return hasRamp ? precisions.duringRamp : precisions.usual;
  }

  /** Lowers the limit, once for all work admitted before. */
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
      this.#endStart();
      // Work became slow within the first such window, so that its mean cannot be compared.
      this.#move(this.#decreases.next({ limit: this.limit, slowdown, margin }, wasSlow), now);
      if (this.#decreases.areFutile) this.#baselines.forget();
      return;
    }
    const { limitBefore } = this.#decreases;
    this.#decreases.reset();
    // The excess may be chance.
    if (slowdown > TOLERANCE) return;
    this.#safeInflight = Math.max(this.#safeInflight, inflight);
    // A limit that is not used has not made work fast again.
    if (mayRise) this.#raise(now);
    else if (limitBefore !== undefined) this.#move(limitBefore, now);
  }

  #raise(now: number): void {
    const { limit } = this;
    const capacity = this.#capacity;
    const next = limit + Math.sqrt(limit);
    // The ramp may have ended by chance, far below the capacity.
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
