import { StoreError } from '@headgate/core/shared';
import { HttpError } from './failure.ts';
import type { Line, Waiting } from './line.ts';
import type { Protocol } from './protocol.ts';

/** How many requests may be blocked at once: the calls need a connection, too. */
const most = 2;
/** Milliseconds for which a request is blocked: no proxy takes it for dead. */
const longBlock = 5_000;
/** The same where more lines want to be asked for: they take turns. */
const shortBlock = 50;
/** Milliseconds until it is tried again, which are doubled each time that it fails. */
const firstPause = 25;
const longestPause = 1_000;

/** A request that is blocked. */
interface Poll {
  readonly waiting: Waiting;
  readonly isLong: boolean;
  /** Ends it. */
  readonly cut: AbortController;
  /** Runs when its waiter has left the queue. */
  timer?: NodeJS.Timeout;
}

/** Is told what becomes of those who wait. */
export interface PollListener {
  /** It has been let in, and has left the line. */
  granted(waiting: Waiting): void;
  /** The service knows it no more, and it has left the line. */
  gone(waiting: Waiting): void;
  failed(error: StoreError): void;
  worked(): void;
}

/** Asks who has been let in: for the first in each line alone, with a request that is blocked until then. */
export class Polls {
  readonly #protocol: Protocol;
  readonly #listener: PollListener;
  readonly #timeout: number;
  readonly #open = new Map<Line, Poll>();
  /** Those that are to be asked for as soon as there is room. */
  readonly #due = new Set<Line>();
  readonly #paused = new Map<Line, NodeJS.Timeout>();
  #pause = firstPause;
  #isClosed = false;

  constructor(protocol: Protocol, timeout: number, listener: PollListener) {
    this.#protocol = protocol;
    this.#timeout = timeout;
    this.#listener = listener;
  }

  /** Somebody waits there. */
  want(line: Line): void {
    if (this.#isClosed || this.#open.has(line) || this.#paused.has(line)) return;
    this.#due.add(line);
    this.#go();
  }

  /**
   * The service answers the blocked request of a waiter that has left its queue. Where it does not in time, the connection
   * is dead, and the next waiter is asked for on another one.
   */
  left(line: Line): void {
    const poll = this.#open.get(line);
    if (poll === undefined || poll.timer !== undefined || poll.waiting === line.first) return;
    poll.timer = setTimeout(() => poll.cut.abort(), this.#timeout).unref();
  }

  close(): void {
    this.#isClosed = true;
    this.#due.clear();
    for (const timer of this.#paused.values()) clearTimeout(timer);
    for (const { cut } of this.#open.values()) cut.abort();
  }

  #go(): void {
    for (const line of this.#due) {
      if (this.#open.size === most) return this.#makeRoom();
      this.#due.delete(line);
      if (line.first !== undefined) void this.#poll(line, line.first);
    }
  }

  /** One that would be blocked for long gives way. */
  #makeRoom(): void {
    const open = [...this.#open.values()];
    if (open.some(({ isLong }) => !isLong)) return;
    open[0]?.cut.abort();
  }

  async #poll(line: Line, waiting: Waiting): Promise<void> {
    const cut = new AbortController();
    const isLong = this.#due.size === 0;
    const blockFor = isLong ? longBlock : shortBlock;
    const poll: Poll = { waiting, isLong, cut };
    this.#open.set(line, poll);
    const began = performance.now();
    let isIdle = false;
    try {
      const { peer, weight } = waiting;
      const outcome = await this.#protocol.acquire(
        { peer, semaphore: line.semaphore, count: weight, blockFor },
        { timeout: blockFor + this.#timeout, signal: cut.signal },
      );
      // Nobody may make this a loop that never rests.
      isIdle = outcome === 'pending' && performance.now() - began < blockFor / 2;
      if (!isIdle) this.#pause = firstPause;
      this.#hear(line, waiting, outcome);
    } catch (error) {
      isIdle = !cut.signal.aborted;
      if (isIdle) this.#fail(error);
    }
    clearTimeout(poll.timer);
    this.#open.delete(line);
    if (isIdle) this.#rest(line);
    else this.#again(line);
    this.#go();
  }

  #hear(line: Line, waiting: Waiting, outcome: 'held' | 'pending' | 'unknown'): void {
    if (this.#isClosed) return;
    this.#listener.worked();
    if (outcome === 'pending' || !line.leave(waiting)) return;
    if (outcome === 'held') this.#listener.granted(waiting);
    else this.#listener.gone(waiting);
  }

  #fail(error: unknown): void {
    // A service that answers, be it with an error, is there.
    const isAnswer = error instanceof StoreError && error.cause instanceof HttpError;
    if (error instanceof StoreError && !isAnswer && !this.#isClosed) this.#listener.failed(error);
  }

  #again(line: Line): void {
    if (line.first !== undefined) this.want(line);
  }

  #rest(line: Line): void {
    if (this.#isClosed) return;
    const timer = setTimeout(() => {
      this.#paused.delete(line);
      this.#again(line);
    }, this.#pause);
    this.#paused.set(line, timer);
    this.#pause = Math.min(2 * this.#pause, longestPause);
  }
}
