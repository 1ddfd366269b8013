import { checkNames, checkSpan, checkText } from '../checks.ts';
import type { Guard, GuardStats } from '../gate/options.ts';
import { RecentRejections } from '../guard/recent-rejections.ts';
import { Shedding, toleranceOf } from '../guard/shedding.ts';
import type { Priority } from '../semaphore/priority.ts';
import { AcceptQueue } from './accept-queue.ts';
import { Cost } from './cost.ts';
import { checkEventLoop, eventLoop, type MeasuredLoop } from './event-loop.ts';
import { LoopIteration } from './loop-iteration.ts';

export interface EventLoopGuardOptions {
  /**
   * Maximum wait for the event loop for requests of priority `normal`, in milliseconds, more than 0. `critical`
   * tolerates eight times as much, `high` twice, `low` half, `sheddable` a quarter. Default: 50.
   */
  maxDelay?: number | undefined;
  /** Identifies the guard in rejections; visible to clients. Default: `'event-loop'`. */
  name?: string | undefined;
}

const known = ['maxDelay', 'name'] as const satisfies readonly (keyof EventLoopGuardOptions)[];

/** Milliseconds between updates of the slowly changing measurements. */
const UPDATE_INTERVAL_MS = 50;

/** Shared by all guards of this thread, since its listener is never removed. */
let acceptQueue: AcceptQueue | undefined;

/**
 * Rejects requests that would wait too long for the event loop, the lowest priorities first. It works where the
 * handlers themselves keep the loop busy, which no count of requests detects. Use one guard per process: each learns
 * only from the requests it is asked about. The controller follows PIE (RFC 8033). The guard has no timer and need
 * not be closed.
 *
 * @throws HeadgateError for an unknown or invalid option, and on Bun and Deno, which do not measure their event loop.
 */
export function eventLoopGuard(options: EventLoopGuardOptions = {}): Guard {
  checkEventLoop();
  checkNames('eventLoopGuard', options, known);
  const name = checkText('name', options.name ?? 'event-loop');
  const maxDelay = checkSpan('maxDelay', options.maxDelay ?? 50);
  acceptQueue ??= new AcceptQueue(eventLoop);
  return new EventLoopGuard({ name, maxDelay, loop: eventLoop, acceptQueue });
}

/** The options of `eventLoopGuard`, validated and with defaults applied. */
interface EventLoopGuardSettings {
  readonly name: string;
  readonly maxDelay: number;
  readonly loop: MeasuredLoop;
  readonly acceptQueue: AcceptQueue;
}

/**
 * Decides by the current loop iteration for each request, and by the controller for what the iteration does not show.
 */
export class EventLoopGuard implements Guard {
  readonly name: string;
  readonly #iteration: LoopIteration;
  readonly #cost: Cost;
  readonly #shedding = new Shedding();
  readonly #recent = new RecentRejections();
  #delay = 0;
  #updatedAt: number;

  constructor(private readonly settings: EventLoopGuardSettings) {
    const { name, loop } = settings;
    this.name = name;
    this.#iteration = new LoopIteration(loop);
    this.#cost = new Cost(loop);
    this.#updatedAt = loop.now();
  }

  admits(priority: Priority): boolean {
    const now = this.settings.loop.now();
    this.#iteration.note(now);
    this.#shedding.arrived(priority);
    if (now - this.#updatedAt >= UPDATE_INTERVAL_MS) this.#update(now);
    const isRejected = this.#shedding.sheds(priority) || !this.#isInTime(priority, now);
    this.#recent.add(isRejected);
    if (isRejected) return false;
    this.#iteration.admit();
    this.#cost.admit(now);
    return true;
  }

  /** As of the latest request: without requests nothing is measured. */
  stats(): GuardStats {
    return { delay: this.#delay, shedding: this.#recent.fraction };
  }

  #isInTime(priority: Priority, now: number): boolean {
    const { maxDelay, acceptQueue } = this.settings;
    const maxWait = toleranceOf[priority] * maxDelay;
    if (this.#cost.ahead(now) > maxWait) return false;
    // The request has waited for some part of that time, on average for half of it.
    if (acceptQueue.longestWait() / 2 > maxWait) return false;
    const { admitted, previousBusy, age } = this.#iteration;
    // The first request of an iteration is always admitted; otherwise nothing might ever run.
    return admitted === 0 || age + previousBusy / 2 <= maxWait;
  }

  #update(now: number): void {
    const { maxDelay } = this.settings;
    const elapsed = now - this.#updatedAt;
    this.#updatedAt = now;
    this.#cost.update(elapsed);
    this.#recent.fade(elapsed);
    this.#delay = this.#iteration.takeMeanLength(elapsed);
    this.#shedding.update({
      delay: this.#delay,
      target: maxDelay,
      // No iteration is shorter than a request, so no target may be below two of them.
      minTarget: 2 * this.#cost.perRequest,
      elapsed,
    });
  }
}
