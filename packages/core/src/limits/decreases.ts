import { TOLERANCE } from './limit.ts';

/** Factor by which a drop, or a window of slow work, lowers the limit. */
export const BACKOFF = 0.9;

/** Minimum factor of a decrease, however slow the work is. */
const MIN_BACKOFF = 0.7;

/** Number of consecutive decreases without effect after which the work itself counts as slower. */
const MAX_FUTILE = 2;

/** Number of windows to wait after a decrease with an unclear effect before the limit is lowered again. */
const RETRY_AFTER_WINDOWS = 10;

/** A decrease is reverted if it has gained less than this fraction of the expected improvement. */
const MIN_IMPROVEMENT = 0.5;

/** An improvement below this fraction of its margin of error may be chance. */
const MIN_MARGIN_FRACTION = 0.75;

/** How slow work was under a limit. */
interface Measurement {
  readonly limit: number;
  /** Mean ratio of work to its baseline. */
  readonly slowdown: number;
  /** Margin of error of `slowdown`. */
  readonly margin: number;
}

/** Lowers a limit while work is slow, as long as that helps. Reverts a decrease that has not helped. */
export class Decreases {
  /** The limit before the decreases that are still being tested; undefined if there are none. */
  limitBefore: number | undefined;
  /** The measurement before the latest decrease, kept until it is known whether the decrease has helped. */
  #before: Measurement | undefined;
  /** Number of consecutive decreases without effect. */
  #futile = 0;
  /** Windows left until the limit may be lowered again. */
  #cooldown = 0;

  /** Whether the latest decreases have not helped, so that the work itself counts as slower. */
  get areFutile(): boolean {
    return this.#futile === MAX_FUTILE;
  }

  get isOnHold(): boolean {
    return this.#cooldown > 0;
  }

  /** Forgets the latest decrease: its effect cannot be measured, since the limit has changed for another reason. */
  forgetLast(): void {
    this.#before = undefined;
    this.limitBefore = undefined;
  }

  /** Work is not slow. */
  reset(): void {
    this.forgetLast();
    this.#futile = 0;
    this.#cooldown = 0;
  }

  /**
   * Returns the limit that follows a window of slow work.
   *
   * @param isComparable Whether the work was slow during the whole window.
   */
  next(latest: Measurement, isComparable: boolean): number {
    if (this.areFutile) this.#futile = 0;
    if (this.#cooldown > 0) {
      this.#cooldown--;
      return latest.limit;
    }
    const before = this.#before;
    if (before !== undefined) {
      const effect = effectOf(before, latest);
      if (effect !== 'helped') {
        this.#noteIneffective(effect);
        return before.limit;
      }
      this.#futile = 0;
      this.limitBefore = undefined;
    }
    this.limitBefore ??= latest.limit;
    this.#before = isComparable ? latest : undefined;
    const backoff = Math.max(MIN_BACKOFF, Math.min(BACKOFF, TOLERANCE / latest.slowdown));
    return latest.limit * backoff;
  }

  #noteIneffective(effect: 'futile' | 'unclear'): void {
    this.#before = undefined;
    if (effect === 'unclear') {
      this.#futile = 0;
      this.#cooldown = RETRY_AFTER_WINDOWS;
    } else this.#futile++;
  }
}

/** Whether a lower limit has made work faster; `unclear` if chance may hide an improvement. */
function effectOf(before: Measurement, after: Measurement): 'helped' | 'futile' | 'unclear' {
  const improvement = before.slowdown - after.slowdown;
  const expected = before.slowdown * (1 - after.limit / before.limit);
  const enough = expected * MIN_IMPROVEMENT;
  const chance = MIN_MARGIN_FRACTION * Math.hypot(before.margin, after.margin);
  if (improvement >= Math.max(enough, chance)) return 'helped';
  return enough >= chance ? 'futile' : 'unclear';
}
