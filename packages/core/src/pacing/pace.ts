import { AcceptPause } from './accept-pause.ts';
import { type EventLoop, LONG_TURN_MS, TURN_MS } from './event-loop.ts';
import { Turn } from './turn.ts';
import { TIME_CONSTANT_MS, WorkCost } from './work-cost.ts';

/**
 * Requests start at most at this multiple of the rate at which the loop handles them. With a lower one, a loop that was idle
 * because requests cost less than estimated would not catch up.
 */
const MARGIN = 1.25;

/**
 * How fast more is allowed while the loop is busy but its turns are short, in milliseconds of work per millisecond.
 * Otherwise other work in the loop, which looks like the cost of requests, would hold a spike back for many seconds.
 */
const BUSY_GROWTH = 0.3;

/** Number of turns in the moving average of other work. The first turn alone may be long: it must not count in full. */
const OTHER_TURNS = 8;

/** Whether another request may start now. If not: after the next poll, or after this many milliseconds. */
export type Decision = 'start' | 'poll' | number;

/**
 * Decides when the event loop can take another request, so that requests wait in a queue, which can reject them, rather
 * than in the loop, where they delay each other.
 */
export class Pace {
  readonly cost: WorkCost;
  readonly #acceptPause: AcceptPause;
  readonly #turn = new Turn();
  /** When a poll was first awaited, if one is. */
  #awaitedAt: number | undefined;
  /** The loop's idle time then. */
  #idleAtAwait = 0;
  /** Milliseconds for which the loop was busy in the latest turn whose end was awaited. */
  #lastBusy = 0;
  /** Milliseconds of work that may be in flight. */
  #allowed = TURN_MS;
  /** Whether that much is in flight. */
  #isUsedUp = false;
  /** Whether a start is held back because starts are ahead of an even spacing. */
  #isSpaced = false;
  /** Milliseconds, in addition to a turn, by which starts may be ahead of an even spacing. */
  #lead = 0;
  /** When `#adjust` was last called. */
  #adjustedAt: number;
  /** The loop's idle time then. */
  #idle: number;
  /** Of the awaited turns since then, in milliseconds: the longest, the sum, and the part of it spent on other work. */
  #turns = { longest: 0, total: 0, other: 0 };
  /** Milliseconds of a turn in which no request starts or finishes: a moving average. */
  #otherWork = 0;
  /** When the next request would start if all starts were evenly spaced. */
  #next = 0;

  constructor(
    private readonly loop: EventLoop,
    /** Called after a poll that was awaited. */
    private readonly onPoll: () => void,
  ) {
    this.cost = new WorkCost(loop);
    this.#acceptPause = new AcceptPause(loop, this.cost);
    this.#adjustedAt = loop.now();
    this.#idle = loop.idle();
  }

  /** Each call also adjusts the bounds to what the loop has done since the previous one. */
  decide(now: number): Decision {
    if (!this.loop.isMeasured) return 'start';
    const { cost } = this;
    if (this.#acceptPause.isActive || this.#turn.isFull(now, cost)) return 'poll';
    this.#adjust(now);
    if (this.#isUsedUp) return 1;
    const interval = this.#interval;
    const lead = this.#lead + Math.max(TURN_MS, interval, this.#turn.lastLength);
    const excess = this.#ahead(now, interval) - lead;
    this.#isSpaced = excess > 0;
    return this.#isSpaced ? Math.max(1, excess) : 'start';
  }

  /** A request has been queued. */
  queued(): void {
    this.#turn.queued();
  }

  started(now: number): void {
    const interval = this.#interval;
    this.#next = now + this.#ahead(now, interval) + interval;
    this.cost.started(now);
    this.#turn.started(now);
    this.awaitPoll(now);
  }

  finished(now: number, startedAt: number): void {
    this.cost.finished(now);
    const hasWaited = now - startedAt > TURN_MS + this.cost.perRequest;
    this.#turn.finished(now, hasWaited, this.cost.inflight);
  }

  /** The request waits for its client, or is stuck. If it counted, requests would seem to take long and cost nothing. */
  paused(now: number, startedAt: number): void {
    this.cost.paused(now, startedAt);
  }

  /**
   * Milliseconds for which the work of a request that finishes now may have been done before the loop came to it. What
   * became ready in this turn or the one before waited for the rest of it. At most the work that a turn may start: with
   * longer turns, this is not what slows requests down.
   */
  delay(now: number): number {
    if (this.#awaitedAt === undefined) return 0;
    const busy = now - this.#awaitedAt - (this.loop.idle() - this.#idleAtAwait);
    return Math.min(this.#lastBusy + busy, TURN_MS);
  }

  /** Calls `onPoll` after the next poll. */
  awaitPoll(now: number): void {
    if (this.#awaitedAt !== undefined || !this.loop.isMeasured) return;
    this.#awaitedAt = now;
    this.#idleAtAwait = this.loop.idle();
    this.loop.whenPolled(() => this.#whenPolled(now));
  }

  #whenPolled(awaitedAt: number): void {
    const now = this.loop.now();
    this.#awaitedAt = undefined;
    const wereInflight = this.#turn.inflightBefore > 0;
    const length = now - awaitedAt;
    this.#lastBusy = length - (this.loop.idle() - this.#idleAtAwait);
    this.#turns.longest = Math.max(this.#turns.longest, length);
    if (!this.#turn.hasRequests) this.#otherWork += (length - this.#otherWork) / OTHER_TURNS;
    this.#turns.total += length;
    this.#turns.other += this.#turn.hasRequests ? this.#otherWork : length;
    this.#turn.ended(length, this.cost.inflight);
    // Another poll shows whether it was the last connection.
    if (this.#acceptPause.polled(now, wereInflight)) this.awaitPoll(now);
    this.onPoll();
  }

  /** Allows more work in flight while the loop keeps up although requests are held back, and less while it does not. */
  #adjust(now: number): void {
    const { inflight, perRequest } = this.cost;
    const idle = this.loop.idle() - this.#idle;
    const sinceLast = now - this.#adjustedAt - idle;
    this.#adjustedAt = now;
    this.#idle += idle;
    // While connections are accepted one per turn, short turns do not show that the loop has time for more requests.
    const accepts = this.#acceptPause.since !== undefined;
    const busy = accepts ? this.#turns.total : sinceLast;
    const work = accepts ? this.#turns.other : sinceLast;
    if (this.#isBehind(sinceLast) || (idle === 0 && work < busy / 2)) {
      this.#allowed = TURN_MS + (this.#allowed - TURN_MS) * Math.exp(-busy / TIME_CONSTANT_MS);
      this.#lead = 0;
    } else if (this.#isUsedUp) this.#allowed += idle + BUSY_GROWTH * work;
    else if (this.#isSpaced) this.#lead += BUSY_GROWTH * (idle + work);
    this.#turns = { longest: 0, total: 0, other: 0 };
    this.#isUsedUp = inflight > 0 && inflight * perRequest > this.#allowed;
  }

  /** Whether turns are long. If no poll was awaited, the time since the last decision was one turn. */
  #isBehind(busy: number): boolean {
    return (this.#turns.longest || busy) > Math.max(LONG_TURN_MS, MARGIN * this.cost.perRequest);
  }

  /** Milliseconds by which starts are ahead of their schedule. Requests that have finished do not count. */
  #ahead(now: number, interval: number): number {
    return Math.max(0, Math.min(this.#next - now, this.cost.inflight * interval));
  }

  get #interval(): number {
    return this.cost.ownCost / MARGIN;
  }
}
