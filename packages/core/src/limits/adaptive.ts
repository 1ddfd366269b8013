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
 * Work that takes this many times longer than its concurrency explains, and not less with a lower limit, has become
 * slower by itself.
 */
const MAX_EXPLAINED = 3;

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
}

class Adaptive implements Limit {
  limit: number;
  readonly #baselines = new Baselines();
  #window = new Window();
  #movedAt = -Infinity;
  /** The highest inflight at which work took no longer than its baseline. */
  #safeInflight = 1;
  /** Whether the limit has never been lowered; it doubles until then (slow start). */
  #starting = true;
  #trial: Trial | undefined;
  /** Windows left until a decrease that did not help is tried again. */
  #cooldown = 0;

  constructor(private readonly range: Range) {
    this.limit = range.initial;
  }

  sample({ rtt, inflight, outcome, now, kind }: Sample): void {
    const { limit } = this;
    // Ignores work admitted under an earlier limit, which includes the other drops of the same overload.
    if (now - rtt < this.#movedAt) return;
    if (outcome === 'dropped') this.#drop();
    else {
      this.#window.add(now, rtt, inflight, this.#baselines.note(kind, rtt));
      if (!this.#window.isOver(now)) return;
      this.#judge(this.#window);
    }
    this.#window = new Window();
    if (this.limit !== limit) this.#movedAt = now;
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
    if (slowdown > TOLERANCE + margin) {
      this.#safeInflight = Math.min(this.#safeInflight, inflight);
      return this.#lower(slowdown);
    }
    this.#trial = undefined;
    this.#cooldown = 0;
    // The excess may be chance.
    if (slowdown > TOLERANCE) return;
    this.#safeInflight = Math.max(this.#safeInflight, inflight);
    // A limit that was not nearly used says nothing about what the server can do.
    if (window.peak < Math.floor(this.limit * BACKOFF)) return;
    this.#move(this.#starting ? this.limit * 2 : this.limit + Math.sqrt(this.limit));
  }

  #lower(slowdown: number): void {
    this.#starting = false;
    if (this.#cooldown > 0) {
      this.#cooldown--;
      return;
    }
    if (this.#trial !== undefined && !this.#hasHelped(this.#trial, slowdown)) {
      this.#move(this.#trial.from);
      this.#trial = undefined;
      this.#cooldown = RETRY_AFTER_WINDOWS;
      if (slowdown > MAX_EXPLAINED * Math.max(1, this.limit / this.#safeInflight))
        this.#baselines.forget();
      return;
    }
    this.#trial = { from: this.limit, slowdown };
    this.#move(this.limit * Math.max(MIN_BACKOFF, Math.min(BACKOFF, TOLERANCE / slowdown)));
  }

  #hasHelped({ from, slowdown: before }: Trial, after: number): boolean {
    const expected = before * (1 - this.limit / from);
    return before - after >= expected * MIN_IMPROVEMENT;
  }

  #move(to: number): void {
    this.limit = within(this.range, to);
  }
}
