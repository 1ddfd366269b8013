import { Alarm } from '../clock.ts';
import type {
  ControlledPermit,
  ControlledWaiter,
  Controller,
  ControllerContext,
} from '../limits/controller.ts';
import { LinkedList } from '../linked-list.ts';
import type { EventLoop } from './event-loop.ts';
import { MaxWait, USUAL_WAIT_MS } from './max-wait.ts';
import { type Decision, Pace } from './pace.ts';
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
  /** Without those that only wait for their client. */
  readonly #inflight = new LinkedList<ControlledPermit>();
  /** Number of requests that no longer count, since work made no progress. */
  #stuck = 0;
  /** What `mayStart` has decided. If `watch` decided again, it might find that a waiter may start, and nothing would start it. */
  #decision: Decision = 'start';

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
    this.#decision = this.#pace.decide(this.loop.now());
    return this.#decision === 'start';
  }

  waitLeft({ joinedAt, priority }: ControlledWaiter, queued: number): number {
    const now = this.context.clock.now();
    return this.#maxWait.remaining(now, joinedAt ?? now, priority === 'critical', queued);
  }

  watch(oldest: ControlledWaiter | undefined, queued: number): void {
    if (oldest === undefined) return this.#alarm.clear();
    // A waiter is shed once its time is negative, so a millisecond after it has none left. The time may become shorter when
    // the queue grows; and a waiter that is late already cannot be shed now, while room is being saved for it.
    const left = this.waitLeft(oldest, queued);
    this.#wakeIn(left < -1 ? USUAL_WAIT_MS : Math.min(left, USUAL_WAIT_MS) + 1);
    const now = this.loop.now();
    if (this.#decision === 'poll') this.#pace.awaitPoll(now);
    else if (this.#decision !== 'start') this.#wakeIn(this.#decision);
    else if (this.context.lacksRoom)
      this.#wakeIn(Math.max(1, this.#progress.awaited(now, this.#unfinished)));
  }

  delay(): number {
    return this.#pace.delay(this.loop.now());
  }

  queued(waiter: ControlledWaiter, length: number): void {
    const now = this.context.clock.now();
    waiter.joinedAt = Math.floor(now);
    this.#pace.queued();
    this.#maxWait.queued(now, length);
  }

  shed(): void {
    this.#maxWait.shed(this.context.clock.now());
  }

  started(permit: ControlledPermit): void {
    const now = this.loop.now();
    permit.startedAt = now;
    this.#inflight.add(permit);
    this.#pace.started(now);
  }

  finished(permit: ControlledPermit): void {
    const { startedAt } = permit;
    if (startedAt === undefined) return;
    const now = this.loop.now();
    if (this.#inflight.remove(permit)) this.#pace.finished(now, startedAt);
    else this.#stuck--;
    this.#progress.finished(now, startedAt);
  }

  paused(permit: ControlledPermit): void {
    if (!this.#inflight.remove(permit)) return;
    this.#pace.paused(this.loop.now(), permit.startedAt ?? 0);
    permit.startedAt = undefined;
  }

  get #unfinished(): number {
    return this.#pace.cost.inflight + this.#stuck;
  }

  /** If work makes no progress, the oldest of it no longer counts, so that others can start. */
  #giveUpStuck(): void {
    const now = this.loop.now();
    if (!this.context.lacksRoom || !this.mayStart()) return;
    for (let left = this.#progress.stuck(now, this.#unfinished); left > 0; left--) {
      const { oldest } = this.#inflight;
      // Those that each step lets start are not stuck.
      if (oldest?.startedAt === undefined || oldest.startedAt >= now) return;
      this.#inflight.remove(oldest);
      this.#stuck++;
      this.#pace.paused(now, oldest.startedAt);
      oldest.giveUp();
    }
  }

  #wakeIn(milliseconds: number): void {
    const now = this.context.clock.now();
    this.#alarm.set(now + milliseconds, now);
  }
}
