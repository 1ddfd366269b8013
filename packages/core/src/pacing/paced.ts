import { Alarm } from '../clock.ts';
import { fifo } from '../queues/fifo.ts';
import type { Priority } from '../semaphore/priority.ts';
import {
  BuiltInQueue,
  checkInner,
  type Order,
  type PermitChange,
  type Queue,
  type QueueContext,
  type QueueStats,
} from '../semaphore/queue.ts';
import { createQueue } from '../semaphore/safe-queue.ts';
import type { Waiter } from '../semaphore/waiter.ts';
import { Burst } from './burst.ts';
import type { EventLoop } from './event-loop.ts';
import { maxWaitFor } from './max-wait.ts';
import { Pace } from './pace.ts';
import { Standstill } from './standstill.ts';
import { threadEventLoop } from './thread-event-loop.ts';

/** Maximum number of waiters, which bounds the memory. */
const MAX_LENGTH = 10_000;

/** Number of waiters that a new queue may always have. */
const NEW_LENGTH = 100;

/**
 * Starts requests no faster than the event loop handles them. The others wait in the queue, in the given order, up to
 * 250 ms or a few times as long as a request takes, and up to a second in a burst, during a pause of what handlers call,
 * or if requests take a second or more; those that would wait longer are rejected immediately (`full`), or at that time
 * (`overloaded`). So requests that keep the event loop busy, by rendering or computing, need no limit that fits them. Use
 * it around any other order, with `queueLimit: Infinity` and without keys. On Bun and Deno, which do not report idle
 * time, it is estimated from the time between polls; on Workers, the queue only bounds the wait.
 *
 * @param order The order of the queue. Default: `fifo()`.
 * @param loop The event loop, for tests. Default: that of this thread.
 * @throws HeadgateError for a value that is not an order, or for `byShare()` or `paced()`.
 */
export function paced(order: Order = fifo(), loop: EventLoop = threadEventLoop()): Order {
  checkInner(order);
  return {
    create: (context) => new PacedQueue(order, context, loop),
    ranks: order.ranks,
    // Critical requests may wait for longer.
    ignores: order.ignores?.filter((option) => option !== 'priority'),
    isOutermost: true,
    isProcessWide: true,
  };
}

/** Adds the pace and the maximum wait to a queue. */
class PacedQueue extends BuiltInQueue implements Queue {
  readonly #inner: Queue;
  readonly #pace: Pace;
  /** Rings when work is estimated to be done, or a waiter has waited for too long. */
  readonly #alarm: Alarm;
  readonly #burst = new Burst();
  readonly #standstill: Standstill;

  constructor(
    order: Order,
    private readonly context: QueueContext,
    private readonly loop: EventLoop,
  ) {
    super();
    this.#inner = createQueue(order, context);
    this.#pace = new Pace(loop, () => context.wake());
    this.#standstill = new Standstill(loop, this.#pace.cost);
    this.#alarm = new Alarm(context.clock, () => context.wake());
  }

  get length(): number {
    return this.#inner.length;
  }

  get weight(): number {
    return this.#inner.weight;
  }

  get oldest(): Waiter | undefined {
    return this.#inner.oldest;
  }

  get youngest(): Waiter | undefined {
    return this.#inner.youngest;
  }

  get highest(): Priority | undefined {
    return this.#inner.highest;
  }

  get isOpen(): boolean {
    return this.#pace.decide(this.loop.now()) === 'start';
  }

  /** As many as can be served within the maximum wait. */
  get maxLength(): number {
    const { interval, margin } = this.#pace.cost.rate;
    const now = this.context.clock.now();
    if (interval === 0) return MAX_LENGTH;
    const maxWait = this.#maxWait(this.#isPatient(now));
    const length = Math.min(MAX_LENGTH, Math.ceil((maxWait * (1 + margin)) / interval));
    // The rate may be that of other requests, which took longer, in an earlier queue.
    return this.#burst.mayBeChance(now) ? Math.max(length, NEW_LENGTH) : length;
  }

  /** While no request may start, reading it schedules when to read it again. */
  get next(): Waiter | undefined {
    if (this.length === 0) return undefined;
    const now = this.loop.now();
    const decision = this.#pace.decide(now);
    if (decision === 'start') return this.#inner.next;
    if (decision === 'poll') this.#pace.awaitPoll(now);
    else this.#wakeIn(decision);
    return undefined;
  }

  /** While none is stale, reading it schedules when to read it again. */
  get stale(): Waiter | undefined {
    const { oldest } = this;
    if (oldest === undefined) return undefined;
    const { since, priority } = oldest;
    // Critical requests are served first, so they only wait long behind a long request, which ends as a burst does.
    const isPatient = priority === 'critical' || this.#isPatient(since);
    const remaining = since + this.#maxWait(isPatient) - this.context.clock.now();
    if (remaining < 0) return oldest;
    this.#wakeIn(remaining + 1);
    return this.#inner.stale;
  }

  stats(): QueueStats {
    return this.#inner.stats?.() ?? {};
  }

  bypass(chosen: Waiter, room: number): Waiter | undefined {
    return this.#inner.bypass?.(chosen, room);
  }

  displacedBy(newWaiter: Waiter): Waiter | undefined {
    this.#pace.arrived();
    return this.#inner.displacedBy(newWaiter);
  }

  mayBeNext(waiter: Waiter): boolean {
    return this.#inner.mayBeNext(waiter);
  }

  insert(waiter: Waiter): void {
    this.#pace.arrived();
    this.#inner.insert(waiter);
    if (this.length > 1) return;
    this.#burst.queueingStarted(waiter.since);
    this.#standstill.queueingStarted(this.context.clock.now());
    this.#pace.cost.rate.queueingStarted(this.loop.now());
  }

  remove(waiter: Waiter, isGranted: boolean): void {
    this.#inner.remove(waiter, isGranted);
    if (this.length > 0) return;
    this.#burst.queueingEnded(this.context.clock.now());
    this.#pace.cost.rate.queueingEnded(this.loop.now());
    this.#alarm.clear();
  }

  changeInflight(permit: object, _weight: number, change: PermitChange): void {
    const now = this.loop.now();
    if (change === 'granted' || change === 'resumed') this.#pace.started(now, permit);
    else if (change !== 'adjusted') {
      this.#progressed(now, permit);
      if (change === 'released') this.#pace.finished(now, permit);
      else this.#pace.paused(now, permit);
    }
  }

  /** A request has finished, or only waits for its client now, so that this is no standstill, or no longer. */
  #progressed(now: number, request: object): void {
    if (this.length === 0 || !this.#pace.isWorking(request)) return;
    const standstill = this.#standstill.requestLeft(this.context.clock.now());
    this.#pace.cost.rate.skip(now, standstill);
  }

  /** Whether a request that arrived at this time is delayed by something that ends by itself. */
  #isPatient(since: number): boolean {
    return this.#burst.includes(since) || this.#standstill.includes(since);
  }

  /** @param isPatient Whether it is that of a request which may wait for as long as its client does. */
  #maxWait(isPatient: boolean): number {
    const { cost, longestBusy } = this.#pace;
    return maxWaitFor(cost, longestBusy.value(this.loop.now()), isPatient);
  }

  #wakeIn(milliseconds: number): void {
    const now = this.context.clock.now();
    this.#alarm.set(now + milliseconds, now);
  }
}
