import { Alarm } from '../clock.ts';
import type { ControlledWaiter, Controller, ControllerContext } from '../limits/controller.ts';
import type { EventLoop } from './event-loop.ts';
import { MaxWait, MIN_MS } from './max-wait.ts';
import { Pace } from './pace.ts';

/** Maximum number of waiters, which bounds the memory. */
const MAX_QUEUED = 10_000;

/** Starts requests no faster than the event loop handles them, and bounds how long the others wait. */
export class PaceController implements Controller {
  readonly maxQueued: number;
  readonly #pace: Pace;
  readonly #maxWait: MaxWait;
  readonly #alarm: Alarm;
  /** When the requests in flight started, by their permits; without those that only wait for their client. */
  readonly #startedAt = new Map<object, number>();

  constructor(
    private readonly context: ControllerContext,
    private readonly loop: EventLoop,
    maxWait: number,
  ) {
    const wake = () => context.wake();
    this.maxQueued = maxWait === 0 ? 0 : MAX_QUEUED;
    this.#pace = new Pace(loop, wake);
    this.#maxWait = new MaxWait(this.#pace.cost, maxWait);
    this.#alarm = new Alarm(context.clock, wake);
  }

  mayStart(): boolean {
    return this.#pace.decide(this.loop.now()) === 'start';
  }

  waitLeft({ since, priority }: ControlledWaiter, queued: number): number {
    const now = this.context.clock.now();
    return this.#maxWait.remaining(now, since, priority === 'critical', queued);
  }

  watch(oldest: ControlledWaiter | undefined, queued: number): void {
    if (oldest === undefined) return this.#alarm.clear();
    // A waiter is shed once its time is negative, so a millisecond after it has none left. The time may become shorter when
    // the queue grows; and a waiter that is late already cannot be shed now, as while the limiter is paused.
    const left = this.waitLeft(oldest, queued);
    this.#wakeIn(left < -1 ? MIN_MS : Math.min(left, MIN_MS) + 1);
    const now = this.loop.now();
    const decision = this.#pace.decide(now);
    if (decision === 'poll') this.#pace.awaitPoll(now);
    else if (decision !== 'start') this.#wakeIn(decision);
  }

  queued(length: number): void {
    this.#pace.queued();
    this.#maxWait.queued(this.context.clock.now(), length);
  }

  shed(): void {
    this.#maxWait.shed(this.context.clock.now());
  }

  started(permit: object): void {
    const now = this.loop.now();
    this.#startedAt.set(permit, now);
    this.#pace.started(now);
  }

  finished(permit: object): void {
    this.#leave(permit, (now, startedAt) => this.#pace.finished(now, startedAt));
  }

  paused(permit: object): void {
    this.#leave(permit, (now, startedAt) => this.#pace.paused(now, startedAt));
  }

  #leave(permit: object, note: (now: number, startedAt: number) => void): void {
    const startedAt = this.#startedAt.get(permit);
    // Already paused: it only waited for its client.
    if (startedAt === undefined) return;
    this.#startedAt.delete(permit);
    note(this.loop.now(), startedAt);
  }

  #wakeIn(milliseconds: number): void {
    const now = this.context.clock.now();
    this.#alarm.set(now + milliseconds, now);
  }
}
