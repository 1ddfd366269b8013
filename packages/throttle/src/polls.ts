import { StoreError } from '@headgate/core/distributed';
import { HttpError } from './failure.ts';
import type { LocalQueue, Waiting } from './local-queue.ts';
import type { Protocol } from './protocol.ts';

/** Maximum number of blocked requests, which leaves a connection for other calls. */
const maxPolls = 2;
/** Milliseconds for which a request is blocked: short enough for any proxy to keep the connection. */
const maxBlockTime = 5_000;
/** Milliseconds for which a request is blocked while other queues are due, since the queues are polled in turn. */
const minBlockTime = 50;
/** Delay before the first retry in milliseconds, doubled after each failure. */
const minDelay = 25;
const maxDelay = 1_000;

/** A blocked request. */
interface Poll {
  readonly waiting: Waiting;
  readonly isLong: boolean;
  /** Aborts the request. */
  readonly controller: AbortController;
  /** Set once its waiter has left the queue. */
  timer?: NodeJS.Timeout;
}

/** Receives the results of the polls. */
export interface PollListener {
  /** The waiter was granted and has left the queue. */
  granted(waiting: Waiting): void;
  /** The service no longer knows the waiter, which has left the queue. */
  forgotten(waiting: Waiting): void;
  failed(error: StoreError): void;
  succeeded(): void;
}

/**
 * Polls for grants with blocked requests, one per queue: for its first waiter, which the service grants before the
 * others.
 */
export class Polls {
  readonly #protocol: Protocol;
  readonly #listener: PollListener;
  readonly #timeout: number;
  readonly #open = new Map<LocalQueue, Poll>();
  /** The queues to poll as soon as there is room. */
  readonly #due = new Set<LocalQueue>();
  readonly #paused = new Map<LocalQueue, NodeJS.Timeout>();
  #delay = minDelay;
  #isClosed = false;

  constructor(protocol: Protocol, timeout: number, listener: PollListener) {
    this.#protocol = protocol;
    this.#timeout = timeout;
    this.#listener = listener;
  }

  /** There is a waiter in this queue. */
  poll(line: LocalQueue): void {
    if (this.#isClosed || this.#open.has(line) || this.#paused.has(line)) return;
    this.#due.add(line);
    this.#sendDue();
  }

  /**
   * The service answers the blocked request of a waiter that has left its queue. If no answer comes in time, the
   * connection is dead, and the next waiter is polled on another one.
   */
  left(line: LocalQueue): void {
    const poll = this.#open.get(line);
    if (poll === undefined || poll.timer !== undefined || poll.waiting === line.first) return;
    poll.timer = setTimeout(() => poll.controller.abort(), this.#timeout).unref();
  }

  close(): void {
    this.#isClosed = true;
    this.#due.clear();
    for (const timer of this.#paused.values()) clearTimeout(timer);
    for (const { controller } of this.#open.values()) controller.abort();
  }

  #sendDue(): void {
    for (const line of this.#due) {
      if (this.#open.size === maxPolls) return this.#makeRoom();
      this.#due.delete(line);
      if (line.first !== undefined) void this.#send(line, line.first);
    }
  }

  /** Aborts a long poll to make room, unless a short one is about to end anyway. */
  #makeRoom(): void {
    const open = [...this.#open.values()];
    if (open.some(({ isLong }) => !isLong)) return;
    open[0]?.controller.abort();
  }

  async #send(line: LocalQueue, waiting: Waiting): Promise<void> {
    const controller = new AbortController();
    const isLong = this.#due.size === 0;
    const blockFor = isLong ? maxBlockTime : minBlockTime;
    const poll: Poll = { waiting, isLong, controller };
    this.#open.set(line, poll);
    const began = performance.now();
    let isIdle = false;
    try {
      const { peer, weight } = waiting;
      const outcome = await this.#protocol.acquire(
        { peer, semaphore: line.semaphore, count: weight, blockFor },
        { timeout: blockFor + this.#timeout, signal: controller.signal },
      );
      // An immediate answer must not turn this into a busy loop.
      isIdle = outcome === 'pending' && performance.now() - began < blockFor / 2;
      if (!isIdle) this.#delay = minDelay;
      this.#handle(line, waiting, outcome);
    } catch (error) {
      isIdle = !controller.signal.aborted;
      if (isIdle) this.#report(error);
    }
    clearTimeout(poll.timer);
    this.#open.delete(line);
    if (isIdle) this.#repeatLater(line);
    else this.#repeat(line);
    this.#sendDue();
  }

  #handle(line: LocalQueue, waiting: Waiting, outcome: 'held' | 'pending' | 'unknown'): void {
    if (this.#isClosed) return;
    this.#listener.succeeded();
    if (outcome === 'pending' || !line.leave(waiting)) return;
    if (outcome === 'held') this.#listener.granted(waiting);
    else this.#listener.forgotten(waiting);
  }

  #report(error: unknown): void {
    // A service that answers with an error is reachable.
    const isAnswer = error instanceof StoreError && error.cause instanceof HttpError;
    if (error instanceof StoreError && !isAnswer && !this.#isClosed) this.#listener.failed(error);
  }

  #repeat(line: LocalQueue): void {
    if (line.first !== undefined) this.poll(line);
  }

  #repeatLater(line: LocalQueue): void {
    if (this.#isClosed) return;
    const timer = setTimeout(() => {
      this.#paused.delete(line);
      this.#repeat(line);
    }, this.#delay);
    this.#paused.set(line, timer);
    this.#delay = Math.min(2 * this.#delay, maxDelay);
  }
}
