import type { EventLoop } from './event-loop.ts';
import { MIN_WAIT_MS } from './max-wait.ts';
import type { WorkCost } from './work-cost.ts';

/** Maximum time that starts may be held back for connections, in milliseconds, unless they have waited for too long. */
const MAX_ACCEPT_TIME_MS = 100;

/** A shorter pause is not started: the requests in flight would not finish during it, and keep each iteration long. */
const MIN_ACCEPT_TIME_MS = 30;

/** Milliseconds of an iteration that count as spent on connections while requests compute; the rest counts as computing. */
const MAX_ITERATION_MS = 5;

/** Maximum idle time that is expected after a pause, in milliseconds: if requests wait for longer, pauses are needed too. */
const MAX_IDLE_TIME_MS = 100;

/** Fewer consecutive polls that accept a connection may be chance. */
const MIN_ACCEPTING_POLLS = 2;

/** Milliseconds that connections may wait before they are drained, and the maximum duration of draining: as long as any request may wait. */
const MAX_CONNECTION_WAIT_MS = MIN_WAIT_MS;

/** Mean milliseconds of iterations above which a pause accepts only a connection or two. */
const LONG_ITERATION_MS = 70;

/**
 * Holds starts back until the next poll while connections are being accepted: Node accepts one per
 * iteration (libuv since 1.45), so that behind long iterations connections wait where nothing can reject them. For at
 * most half of the time.
 */
export class AcceptPause {
  isActive = false;
  /** Number of connections accepted before the last poll. */
  #accepted = 0;
  /** Number of consecutive polls that accepted a connection. */
  #polls = 0;
  /** For how long the loop had been busy in all when a poll last accepted none: no connection waited then. */
  #busyBefore: number;
  /** If connections have waited for too long: until when starts are held back, unless a poll accepts none before. */
  #drainUntil: number | undefined;
  /** Milliseconds for which starts may still be held back. */
  #timeLeft = 0;
  #polledAt = 0;

  constructor(
    private readonly loop: EventLoop,
    private readonly cost: WorkCost,
  ) {
    this.#busyBefore = loop.now() - loop.idle();
  }

  /**
   * Notes a poll; returns whether it accepted a connection.
   *
   * @param wasInflight Whether requests were in flight at the poll before.
   */
  polled(now: number, wasInflight: boolean): boolean {
    const accepted = this.loop.accepted();
    const hasAccepted = accepted > this.#accepted;
    this.#accepted = accepted;
    const elapsed = now - this.#polledAt;
    this.#polledAt = now;
    this.#updateDrain(now, hasAccepted);
    const isDraining = this.#drainUntil !== undefined;
    if (!this.isActive) this.#earnTime(elapsed);
    else if (!isDraining) this.#timeLeft -= this.#timeSpent(elapsed, wasInflight);
    const needed = this.isActive ? 0 : MIN_ACCEPT_TIME_MS;
    const isAccepting = this.#polls >= MIN_ACCEPTING_POLLS;
    this.isActive = isAccepting && (isDraining || this.#timeLeft > needed);
    return hasAccepted;
  }

  #updateDrain(now: number, hasAccepted: boolean): void {
    const busy = now - this.loop.idle();
    // A flood of connections must not hold starts back forever.
    if (!hasAccepted || now > (this.#drainUntil ?? Infinity)) {
      this.#polls = 0;
      this.#busyBefore = busy;
      this.#drainUntil = undefined;
      return;
    }
    this.#polls++;
    // While the loop is idle, connections are accepted at once.
    const waited = busy - this.#busyBefore;
    if (waited > Math.max(MAX_CONNECTION_WAIT_MS, LONG_ITERATION_MS * this.#polls))
      this.#drainUntil ??= now + MAX_CONNECTION_WAIT_MS;
  }

  /** Earns less time if requests wait before they compute: the loop then stays idle after a pause until the next ones compute. */
  #earnTime(elapsed: number): void {
    const idleLater = Math.min(this.cost.waiting, MAX_IDLE_TIME_MS);
    const earned = (elapsed * MIN_ACCEPT_TIME_MS) / (MIN_ACCEPT_TIME_MS + idleLater);
    this.#timeLeft = Math.min(this.#timeLeft + earned, MAX_ACCEPT_TIME_MS);
  }

  #timeSpent(elapsed: number, wasInflight: boolean): number {
    if (!wasInflight) return elapsed;
    const { busyPart } = this.cost;
    const computing = busyPart * Math.max(0, elapsed - MAX_ITERATION_MS);
    // While requests only wait, the time counts twice: later, the loop is idle for lack of the requests held back.
    const idleLater = elapsed * (1 - busyPart);
    return elapsed - computing + idleLater;
  }
}
