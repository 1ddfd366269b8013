import { outsideRequest, StoreError } from '@headgate/store-kit';
import { HttpError } from '../failure.ts';
import type { Protocol } from '../protocol.ts';
import type { LocalQueue, Waiting } from './local-queue.ts';

/** Maximum number of blocked requests, which leaves a connection for other calls. */
const MAX_POLLS = 2;
/** Milliseconds for which a request is blocked: short enough for any proxy to keep the connection. */
const MAX_BLOCK_TIME = 5_000;
/** Milliseconds for which a request is blocked while other queues are due. The queues are polled in turn. */
const MIN_BLOCK_TIME = 50;
/** Delay before the first retry in milliseconds, doubled after each failure. */
const MIN_DELAY = 25;
const MAX_DELAY = 1_000;

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

/** Polls for grants with blocked requests: one for each queue, for its first waiter, which the service grants first. */
export class Polls {
  readonly #protocol: Protocol;
  readonly #listener: PollListener;
  readonly #timeout: number;
  readonly #open = new Map<LocalQueue, Poll>();
  /** The queues to poll as soon as there is room. */
  readonly #due = new Set<LocalQueue>();
  readonly #paused = new Map<LocalQueue, NodeJS.Timeout>();
  #delay = MIN_DELAY;
  #isClosed = false;

  constructor(protocol: Protocol, timeout: number, listener: PollListener) {
    this.#protocol = protocol;
    this.#timeout = timeout;
    this.#listener = listener;
  }

  /** Called when there is a waiter in this queue. */
  poll(queue: LocalQueue): void {
    if (this.#isClosed || this.#open.has(queue) || this.#paused.has(queue)) return;
    this.#due.add(queue);
    this.#sendDue();
  }

  /**
   * Called when a waiter has left its queue. The service then answers the waiter's blocked request. If no answer comes
   * in time, the connection is dead, and the next waiter is polled on another connection.
   */
  left(queue: LocalQueue): void {
    const poll = this.#open.get(queue);
    if (poll === undefined || poll.timer !== undefined || poll.waiting === queue.first) return;
    const abort = () => poll.controller.abort();
    poll.timer = outsideRequest(() => setTimeout(abort, this.#timeout)).unref();
  }

  close(): void {
    this.#isClosed = true;
    this.#due.clear();
    for (const timer of this.#paused.values()) clearTimeout(timer);
    for (const { controller } of this.#open.values()) controller.abort();
  }

  #sendDue(): void {
    for (const queue of this.#due) {
      if (this.#open.size === MAX_POLLS) return this.#makeRoom();
      this.#due.delete(queue);
      // Polling continues while the queue has any waiter.
      const { first } = queue;
      if (first !== undefined) void outsideRequest(() => this.#send(queue, first));
    }
  }

  /** Aborts a long poll to make room, unless a short one is about to end anyway. */
  #makeRoom(): void {
    const open = [...this.#open.values()];
    if (open.some(({ isLong }) => !isLong)) return;
    open[0]?.controller.abort();
  }

  async #send(queue: LocalQueue, waiting: Waiting): Promise<void> {
    const controller = new AbortController();
    const isLong = this.#due.size === 0;
    const blockFor = isLong ? MAX_BLOCK_TIME : MIN_BLOCK_TIME;
    const poll: Poll = { waiting, isLong, controller };
    this.#open.set(queue, poll);
    const began = performance.now();
    let isIdle = false;
    try {
      const { peer, weight } = waiting;
      const outcome = await this.#protocol.acquire(
        { peer, semaphore: queue.semaphore, count: weight, blockFor },
        { timeout: blockFor + this.#timeout, signal: controller.signal },
      );
      // After an immediate answer, polling pauses, so that this is not a busy loop.
      isIdle = outcome === 'pending' && performance.now() - began < blockFor / 2;
      if (!isIdle) this.#delay = MIN_DELAY;
      this.#handle(queue, waiting, outcome);
    } catch (error) {
      isIdle = !controller.signal.aborted;
      if (isIdle) this.#report(error);
    }
    clearTimeout(poll.timer);
    this.#open.delete(queue);
    if (isIdle) this.#repeatLater(queue);
    else this.#repeat(queue);
    this.#sendDue();
  }

  #handle(queue: LocalQueue, waiting: Waiting, outcome: 'held' | 'pending' | 'unknown'): void {
    if (this.#isClosed) return;
    this.#listener.succeeded();
    if (outcome === 'pending' || !queue.leave(waiting)) return;
    if (outcome === 'held') this.#listener.granted(waiting);
    else this.#listener.forgotten(waiting);
  }

  #report(error: unknown): void {
    // A service that answers with an error is reachable.
    const isAnswer = error instanceof StoreError && error.cause instanceof HttpError;
    if (error instanceof StoreError && !isAnswer && !this.#isClosed) this.#listener.failed(error);
  }

  #repeat(queue: LocalQueue): void {
    if (queue.first !== undefined) this.poll(queue);
  }

  #repeatLater(queue: LocalQueue): void {
    if (this.#isClosed) return;
    const timer = setTimeout(() => {
      this.#paused.delete(queue);
      this.#repeat(queue);
    }, this.#delay);
    this.#paused.set(queue, timer);
    this.#delay = Math.min(2 * this.#delay, MAX_DELAY);
  }
}
