import type { WorkCost } from './work-cost.ts';

/** Maximum time that starts may be held back for connections, in milliseconds. */
const MAX_ACCEPT_TIME_MS = 100;

/** A shorter pause is not started: the requests in flight would not finish during it, and keep each iteration long. */
const MIN_ACCEPT_TIME_MS = 30;

/** Maximum time of one iteration that counts as spent on connections while requests compute: the rest is theirs. */
const MAX_ITERATION_MS = 5;

/** Fewer consecutive polls that accept a connection may be chance. */
const MIN_ACCEPTING_POLLS = 2;

/** Milliseconds that connections may have been waiting if iterations are long. */
const MAX_UNACCEPTED_MS = 250;

/** Mean milliseconds of long iterations: one or two of them use up the time of a pause, and accept only as many. */
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
  /** When a poll last accepted none, so that no connection waited. */
  #allAcceptedAt = 0;
  /** If connections have waited for too long: until when starts are held back, unless a poll accepts none. */
  #overdueUntil: number | undefined;
  /** Milliseconds for which starts may still be held back: as long as the loop has worked on requests before. */
  #timeLeft = 0;
  #polledAt = 0;

  constructor(private readonly cost: WorkCost) {}

  /**
   * Notes a poll; returns whether it accepted a connection.
   *
   * @param accepted Number of connections accepted so far.
   * @param wasInflight Whether requests were in flight since the poll before.
   */
  polled(now: number, accepted: number, wasInflight: boolean): boolean {
    const hasAccepted = accepted > this.#accepted;
    this.#accepted = accepted;
    this.#countPoll(now, hasAccepted);
    const elapsed = now - this.#polledAt;
    this.#polledAt = now;
    if (this.isActive) this.#timeLeft -= this.#timeSpent(elapsed, wasInflight);
    else this.#timeLeft = Math.min(this.#timeLeft + this.#timeEarned(elapsed), MAX_ACCEPT_TIME_MS);
    const needed = this.isActive ? 0 : MIN_ACCEPT_TIME_MS;
    const hasTime = this.#timeLeft > needed || this.#overdueUntil !== undefined;
    this.isActive = this.#polls >= MIN_ACCEPTING_POLLS && hasTime;
    return hasAccepted;
  }

  #countPoll(now: number, hasAccepted: boolean): void {
    if (!hasAccepted || now > (this.#overdueUntil ?? Infinity)) {
      this.#polls = 0;
      this.#allAcceptedAt = now;
      this.#overdueUntil = undefined;
      return;
    }
    this.#polls++;
    const waited = now - this.#allAcceptedAt;
    // As long again: a flood of connections must not hold starts back forever.
    if (waited > Math.max(MAX_UNACCEPTED_MS, LONG_ITERATION_MS * this.#polls))
      this.#overdueUntil ??= now + waited;
  }

  /** If requests wait before they compute, the loop is also idle after a pause, until the next ones compute. */
  #timeEarned(elapsed: number): number {
    return (elapsed * MIN_ACCEPT_TIME_MS) / (MIN_ACCEPT_TIME_MS + this.cost.waiting);
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
