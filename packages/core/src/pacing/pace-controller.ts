import { Alarm } from '../clock.ts';
import type {
  ControlledPermit,
  ControlledWaiter,
  Controller,
  ControllerContext,
} from '../limits/controller.ts';
import type { EventLoop } from './event-loop.ts';
import { MaxWait, MIN_MS } from './max-wait.ts';
import { Pace } from './pace.ts';
import { Progress } from './progress.ts';

/** Maximum number of waiters, which bounds the memory. */
const MAX_QUEUED = 10_000;

/** Starts requests no faster than the event loop handles them, and bounds how long the others wait. */
export class PaceController implements Controller {
  readonly maxQueued: number;
  readonly #pace: Pace;
  readonly #maxWait: MaxWait;
  readonly #alarm: Alarm;
  readonly #progress: Progress;
  /** When the requests in flight started, by their permits; without those that only wait for their client. */
  readonly #startedAt = new Map<ControlledPermit, number>();
  /** The same for requests that no longer count, since work made no progress. */
  readonly #stuck = new Map<ControlledPermit, number>();

  constructor(
    private readonly context: ControllerContext,
    private readonly loop: EventLoop,
    maxWait: number,
  ) {
    const wake = () => context.wake();
    this.maxQueued = maxWait === 0 ? 0 : MAX_QUEUED;
    this.#pace = new Pace(loop, wake);
    this.#maxWait = new MaxWait(this.#pace.cost, maxWait, loop);
    this.#progress = new Progress(loop);
    this.#alarm = new Alarm(context.clock, () => {
      this.#giveUpStuck();
      wake();
    });
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
    else if (this.context.lacksRoom)
      this.#wakeIn(Math.max(1, this.#progress.awaited(now, this.#unfinished)));
  }

  queued(length: number): void {
    this.#pace.queued();
    this.#maxWait.queued(this.context.clock.now(), length);
  }

  shed(): void {
    this.#maxWait.shed(this.context.clock.now());
  }

  started(permit: ControlledPermit): void {
    const now = this.loop.now();
    this.#startedAt.set(permit, now);
    this.#pace.started(now);
  }

  finished(permit: ControlledPermit): void {
    const now = this.loop.now();
    const startedAt = this.#leave(permit);
    if (startedAt !== undefined) this.#pace.finished(now, startedAt);
    const since = startedAt ?? this.#stuck.get(permit);
    if (since !== undefined) this.#progress.finished(now, since);
    this.#stuck.delete(permit);
  }

  paused(permit: ControlledPermit): void {
    const startedAt = this.#leave(permit);
    if (startedAt !== undefined) this.#pace.paused(this.loop.now(), startedAt);
  }

  get #unfinished(): number {
    return this.#startedAt.size + this.#stuck.size;
  }

  /** If work makes no progress, the oldest of it no longer counts, so that others can start. */
  #giveUpStuck(): void {
    const now = this.loop.now();
    if (!this.context.lacksRoom || this.#pace.decide(now) !== 'start') return;
    const count = this.#progress.stuck(now, this.#unfinished);
    if (count === 0) return;
    for (const [permit, startedAt] of [...this.#startedAt].slice(0, count)) {
      this.#stuck.set(permit, startedAt);
      permit.giveUp();
    }
  }

  /** Returns when the request started; undefined if it no longer counts. */
  #leave(permit: ControlledPermit): number | undefined {
    const startedAt = this.#startedAt.get(permit);
    this.#startedAt.delete(permit);
    return startedAt;
  }

  #wakeIn(milliseconds: number): void {
    const now = this.context.clock.now();
    this.#alarm.set(now + milliseconds, now);
  }
}
