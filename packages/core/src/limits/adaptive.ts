import { Baselines } from './baseline.ts';
import { checkBounds, type Range, within } from './bounds.ts';
import type { Bounds, Limit, LimitFactory, Sample } from './limit.ts';
import { Window } from './window.ts';

/** How much longer than on a quiet day work may take: below it, more at once is no harm. */
const tolerance = 1.4;

/** What a drop, or a window in which work takes too long, leaves of the limit. */
const backoff = 0.9;

/** A lower limit must have taken off at least this part of what was expected of it, or it is taken back. */
const worthwhile = 0.5;

/** Windows until a lower limit is tried again that did not help the last time. */
const patience = 10;

/**
 * A limit that finds out by itself how much the server can do at once. It grows while it is used and work takes no longer
 * than on a quiet day; it sinks at drops, and while work takes longer and a lower limit helps.
 *
 * What a quiet day is, is learnt at low concurrency, and under load only ever corrected downwards: an overload, however
 * long, does not become its measure. Where work takes longer and a lower limit does not help, the load is not to blame: the
 * limit stays. The decrease follows the gradient of Envoy's and Netflix's limiters; asking whether it has helped is ours.
 *
 * @throws HeadgateError where an option is unknown or makes no sense.
 */
export function adaptive(options: Bounds = {}): LimitFactory {
  const range = checkBounds('adaptive', options);
  return { create: () => new Adaptive(range) };
}

/** A lower limit that is being tried. */
interface Trial {
  readonly from: number;
  readonly stretch: number;
}

class Adaptive implements Limit {
  limit: number;
  readonly #baselines = new Baselines();
  #window = new Window();
  #movedAt = Number.NEGATIVE_INFINITY;
  /** The highest inflight at which work took no longer than on a quiet day. */
  #proven = 1;
  /** Whether it has never had to sink: it doubles until then. */
  #starting = true;
  #trial: Trial | undefined;
  /** Windows for which a limit stays that it did not help to lower. */
  #rest = 0;

  constructor(private readonly range: Range) {
    this.limit = range.initial;
  }

  sample({ rtt, inflight, outcome, now, kind }: Sample): void {
    const { limit } = this;
    // What was admitted under another limit says nothing of this one; nor do the other drops of one overload.
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
    this.#move(this.limit * backoff);
  }

  #judge(window: Window): void {
    const { stretch, margin, inflight } = window;
    this.#baselines.learn(
      stretch === undefined || inflight <= Math.max(this.range.min, this.#proven / 2),
    );
    if (stretch === undefined) return;
    if (stretch > tolerance + margin) {
      this.#proven = Math.min(this.#proven, inflight);
      return this.#sink(stretch);
    }
    this.#trial = undefined;
    this.#rest = 0;
    // Perhaps chance, perhaps not.
    if (stretch > tolerance) return;
    this.#proven = Math.max(this.#proven, inflight);
    // A limit that nobody has come near to says nothing of what the server can do.
    if (window.peak < Math.floor(this.limit * backoff)) return;
    this.#move(this.#starting ? this.limit * 2 : this.limit + Math.sqrt(this.limit));
  }

  #sink(stretch: number): void {
    this.#starting = false;
    if (this.#rest > 0) {
      this.#rest--;
      return;
    }
    if (this.#trial !== undefined && !this.#hasHelped(this.#trial, stretch)) {
      this.#move(this.#trial.from);
      this.#trial = undefined;
      this.#rest = patience;
      return;
    }
    this.#trial = { from: this.limit, stretch };
    this.#move(this.limit * Math.max(backoff - 0.2, Math.min(backoff, tolerance / stretch)));
  }

  #hasHelped({ from, stretch: before }: Trial, after: number): boolean {
    const expected = before * (1 - this.limit / from);
    return before - after >= expected * worthwhile;
  }

  #move(to: number): void {
    this.limit = within(this.range, to);
  }
}
