import { Baselines } from './baseline.ts';
import {
  type Bounds,
  checkBounds,
  type Limit,
  type LimitFactory,
  type Range,
  type Sample,
  within,
} from './limit.ts';
import { Window } from './window.ts';

/** How much longer than its baseline work may take before the limit stops growing. */
const TOLERANCE = 1.4;

/** Factor by which a drop, or a window of slow work, lowers the limit. */
const BACKOFF = 0.9;

/** Factor of the largest decrease, however slow the work is. */
const MIN_BACKOFF = BACKOFF - 0.2;

/** A lower limit must have gained at least this fraction of the expected improvement, or it is reverted. */
const MIN_IMPROVEMENT = 0.5;

/**
 * Consecutive decreases that did not help, and were measured precisely enough to tell, after which work has become
 * slower by itself.
 */
const FAILED_TRIALS = 2;

/** How many margins of error (of two standard errors each) the result of such a trial must exceed. */
const CERTAINTY = 0.75;

/** Mean round trips after which samples are representative of a new limit. */
const SETTLING_RTTS = 2;

/** Windows until a decrease that did not help is tried again. */
const RETRY_AFTER_WINDOWS = 10;

/**
 * A limit that adapts to what the server can do concurrently. It grows while it is used and work takes no longer than
 * its baseline. It falls on drops, and while work takes longer and a lower limit helps.
 *
 * The baseline is the latency at low concurrency. Under load it is only ever corrected downwards, so that even a long
 * overload does not become the baseline. If work takes longer and a lower limit does not help, load is not the cause,
 * and the limit stays. The decrease follows the gradient of Envoy's and Netflix's limiters; checking whether it has
 * helped is new.
 *
 * @throws HeadgateError for an unknown or invalid option.
 */
export function adaptive(options: Bounds = {}): LimitFactory {
  const range = checkBounds('adaptive', options);
  return { create: () => new Adaptive(range) };
}

/** A decrease whose effect is being measured. */
interface Trial {
  readonly from: number;
  readonly slowdown: number;
  /** Margin of error of `slowdown`. */
  readonly margin: number;
}

class Adaptive implements Limit {
  limit: number;
  readonly #baselines = new Baselines();
  #window = new Window();
  #movedAt = -Infinity;
  /** From when samples are representative. */
  #settledAt = -Infinity;
  /** Mean round trip of the latest window, in milliseconds. */
  #rtt = 0;
  /** The highest inflight at which work took no longer than its baseline. */
  #safeInflight = 1;
  /** Whether the limit has never been lowered; it doubles until then (slow start). */
  #starting = true;
  #trial: Trial | undefined;
  /** Whether work took longer than its baseline in the latest window, so that the next ones are compared. */
  #isSlow = false;
  /** Number of consecutive trials that did not help. */
  #failed = 0;
  /** Windows left until a decrease that did not help is tried again. */
  #cooldown = 0;

  constructor(private readonly range: Range) {
    this.limit = range.initial;
  }

  sample({ rtt, inflight, outcome, now, kind }: Sample): void {
    const { limit } = this;
    // Ignores work admitted under an earlier limit, which includes the other drops of the same overload.
    if (now - rtt < this.#movedAt) return;
    // Soon after the limit has moved, only short work can have been admitted since then and ended.
    if (outcome !== 'dropped' && now < this.#settledAt) return;
    if (outcome === 'dropped') this.#drop();
    else {
      this.#window.add(now, rtt, inflight, this.#baselines.note(kind, rtt));
      if (!this.#window.isOver(now, this.#isSlow && this.#cooldown === 0)) return;
      this.#rtt = this.#window.rtt;
      this.#judge(this.#window);
    }
    this.#window = new Window();
    if (this.limit === limit) return;
    this.#movedAt = now;
    this.#settledAt = now + SETTLING_RTTS * this.#rtt;
  }

  #drop(): void {
    this.#starting = false;
    this.#trial = undefined;
    this.#move(this.limit * BACKOFF);
  }

  #judge(window: Window): void {
    const { slowdown, margin, inflight } = window;
    this.#baselines.learn(
      slowdown === undefined || inflight <= Math.max(this.range.min, this.#safeInflight / 2),
    );
    if (slowdown === undefined) return;
    const wasSlow = this.#isSlow;
    this.#isSlow = slowdown > TOLERANCE + margin;
    if (this.#isSlow) {
      this.#safeInflight = Math.min(this.#safeInflight, inflight);
      this.#lower({ from: this.limit, slowdown, margin });
      // Work became slow within the first such window, so that its mean cannot be compared.
      if (!wasSlow) this.#trial = undefined;
      return;
    }
    this.#failed = 0;
    this.#trial = undefined;
    this.#cooldown = 0;
    // The excess may be chance.
    if (slowdown > TOLERANCE) return;
    this.#safeInflight = Math.max(this.#safeInflight, inflight);
    // A limit that was not nearly used says nothing about what the server can do.
    if (window.peak < Math.floor(this.limit * BACKOFF)) return;
    this.#move(this.#starting ? this.limit * 2 : this.limit + Math.sqrt(this.limit));
  }

  #lower(now: Trial): void {
    this.#starting = false;
    if (this.#cooldown > 0) {
      this.#cooldown--;
      return;
    }
    const { from, slowdown } = now;
    if (this.#trial !== undefined) {
      // What a decrease that only just helps would have improved, and what chance might have.
      const enough = this.#trial.slowdown * (1 - from / this.#trial.from) * MIN_IMPROVEMENT;
      const chance = CERTAINTY * Math.hypot(this.#trial.margin, now.margin);
      if (this.#trial.slowdown - slowdown < Math.max(enough, chance))
        return this.#revert(this.#trial.from, enough >= chance);
    }
    if (this.#trial !== undefined) this.#failed = 0;
    this.#trial = now;
    this.#move(from * Math.max(MIN_BACKOFF, Math.min(BACKOFF, TOLERANCE / slowdown)));
  }

  /** Undoes a decrease that did not help: the load is not the cause. */
  #revert(limit: number, isCertain: boolean): void {
    this.#trial = undefined;
    this.#move(limit);
    if (!isCertain) {
      this.#failed = 0;
      this.#cooldown = RETRY_AFTER_WINDOWS;
    } else if (++this.#failed === FAILED_TRIALS) {
      this.#failed = 0;
      this.#baselines.forget();
    }
  }

  #move(to: number): void {
    this.limit = within(this.range, to);
  }
}
