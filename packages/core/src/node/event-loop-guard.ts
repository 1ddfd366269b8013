import { checkNames, checkPart, checkSpan, checkText } from '../checks.ts';
import type { Guard } from '../gate/guard.ts';
import type { Priority } from '../limiter/priority.ts';
import { Accepts } from './accepts.ts';
import { Cost } from './cost.ts';
import { checkEventLoop, type EventLoop, eventLoop } from './event-loop.ts';
import { memoryPressure } from './memory.ts';
import { Shedding, toleranceOf } from './shedding.ts';
import { Turn } from './turn.ts';

export interface EventLoopGuardOptions {
  /**
   * Milliseconds, more than 0, that a request of class `normal` may have to wait for the event loop. `critical` bears eight
   * times as much, `high` twice, `low` half, `sheddable` a quarter. Default: 50.
   */
  maxDelay?: number | undefined;
  /**
   * Part of V8's heap limit, above 0 up to 1, from which on some requests are shed, and all at the limit. Default: the heap is
   * not looked at.
   */
  maxHeap?: number | undefined;
  /** The same for the memory of the container, or of the machine where it has no limit. Default: not looked at. */
  maxRss?: number | undefined;
  /** Names it in rejections; clients see it. Default: `'event-loop'`. */
  name?: string | undefined;
}

const known = [
  'maxDelay',
  'maxHeap',
  'maxRss',
  'name',
] as const satisfies readonly (keyof EventLoopGuardOptions)[];

/** Milliseconds between updates of what is slow to change. */
const interval = 50;

/** One for all guards of this thread: it listens for as long as the thread lives. */
let accepts: Accepts | undefined;

/**
 * Turns requests away that would have to wait too long for the event loop, the lowest classes first. It works where the
 * handlers themselves keep the loop busy, which no count of requests sees. Make one for a process and share it: each learns
 * only from the requests it is asked about. Controlled as in PIE (RFC 8033). It has no timer and need not be closed.
 *
 * @throws HeadgateError for an unknown or invalid option, and on Bun and Deno, which do not measure their event loop.
 */
export function eventLoopGuard(options: EventLoopGuardOptions = {}): Guard {
  checkEventLoop();
  checkNames('eventLoopGuard', options, known);
  const name = checkText('name', options.name ?? 'event-loop');
  const maxDelay = checkSpan('maxDelay', options.maxDelay ?? 50);
  const maxHeap = options.maxHeap === undefined ? undefined : checkPart('maxHeap', options.maxHeap);
  const maxRss = options.maxRss === undefined ? undefined : checkPart('maxRss', options.maxRss);
  accepts ??= new Accepts(eventLoop);
  const pressure = () => memoryPressure(maxHeap, maxRss);
  return new EventLoopGuard({ name, maxDelay, pressure, loop: eventLoop, accepts });
}

/** What `eventLoopGuard` has checked and completed. */
export interface EventLoopGuardSettings {
  readonly name: string;
  readonly maxDelay: number;
  readonly loop: EventLoop;
  readonly accepts: Accepts;
  /** Which part of the requests must be shed for want of memory, from 0 to 1. */
  readonly pressure: () => number;
}

/** Asks the turn for each request, and the controller for what the turn does not show. */
export class EventLoopGuard implements Guard {
  readonly name: string;
  readonly #turn: Turn;
  readonly #cost: Cost;
  readonly #shedding = new Shedding();
  #updatedAt: number;

  constructor(private readonly settings: EventLoopGuardSettings) {
    const { name, loop } = settings;
    this.name = name;
    this.#turn = new Turn(loop);
    this.#cost = new Cost(loop);
    this.#updatedAt = loop.now();
  }

  admits(priority: Priority): boolean {
    const now = this.settings.loop.now();
    this.#turn.note(now);
    this.#shedding.arrived(priority);
    if (now - this.#updatedAt >= interval) this.#update(now);
    if (this.#shedding.sheds(priority) || !this.#isInTime(priority, now)) return false;
    this.#turn.admit();
    this.#cost.admit(now);
    return true;
  }

  #isInTime(priority: Priority, now: number): boolean {
    const { maxDelay, accepts } = this.settings;
    const longest = toleranceOf[priority] * maxDelay;
    if (this.#cost.ahead(now) > longest) return false;
    // It has waited for some part of that, at the mean for half.
    if (accepts.longestWait() / 2 > longest) return false;
    const { admitted, before, age } = this.#turn;
    // The first of a turn is never late for it; or nothing would ever run.
    return admitted === 0 || age + before / 2 <= longest;
  }

  #update(now: number): void {
    const { maxDelay, pressure } = this.settings;
    const elapsed = now - this.#updatedAt;
    this.#updatedAt = now;
    this.#cost.update(elapsed);
    this.#shedding.update({
      delay: this.#turn.takeMeanLength(elapsed),
      target: maxDelay,
      // No turn is shorter than a request, so no target may be below two.
      least: 2 * this.#cost.each,
      elapsed,
      pressure: pressure(),
    });
  }
}
