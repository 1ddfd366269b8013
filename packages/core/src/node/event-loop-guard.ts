import { checkNames, checkSpan, checkText } from '../checks.ts';
import { invalid } from '../errors.ts';
import type { Guard } from '../gate/guard.ts';
import type { Priority } from '../limiter/priority.ts';
import { Controller } from './controller.ts';
import { LoopDelay } from './loop-delay.ts';
import { type Ceilings, memoryPressure } from './memory.ts';
import { Shedding } from './shedding.ts';
import { Turn } from './turn.ts';

export interface EventLoopGuardOptions {
  /** Milliseconds, more than 0, that a request may have to wait for the event loop. Default: 50. */
  maxDelay?: number | undefined;
  /** The part of V8's heap limit, above 0 up to 1, from which on requests are shed. Default: none are for that. */
  maxHeap?: number | undefined;
  /** The same, of the memory that the container or the machine has. Default: none are for that. */
  maxRss?: number | undefined;
  /** Names it in rejections; clients see it. Default: `'event-loop'`. */
  name?: string | undefined;
}

const known = ['maxDelay', 'maxHeap', 'maxRss', 'name'];

/**
 * Holds the delay of the event loop near a target.
 *
 * @throws HeadgateError where an option is unknown or makes no sense.
 */
export function eventLoopGuard(options: EventLoopGuardOptions = {}): Guard {
  checkNames('eventLoopGuard', options, known);
  const { maxHeap, maxRss } = options;
  const ceilings = {
    maxHeap: checkCeiling('maxHeap', maxHeap),
    maxRss: checkCeiling('maxRss', maxRss),
  };
  return new EventLoopGuard(
    checkText('name', options.name ?? 'event-loop'),
    checkSpan('maxDelay', options.maxDelay ?? 50),
    ceilings,
  );
}

function checkCeiling(option: string, value: number | undefined): number | undefined {
  if (value === undefined || (typeof value === 'number' && value > 0 && value <= 1)) return value;
  throw invalid(option, 'a fraction above 0, up to 1', value);
}

/** How old a turn may be for a request of each class, in parts of the target. */
const allowances: Readonly<Record<Priority, number>> = {
  critical: 4,
  high: 1,
  normal: 0.5,
  low: 0.25,
  sheddable: 0.125,
};

/** Milliseconds between updates. */
const interval = 50;

class EventLoopGuard implements Guard {
  readonly #turn = new Turn();
  readonly #delay = new LoopDelay();
  readonly #controller: Controller;
  readonly #shedding = new Shedding();
  #updatedAt = performance.now();

  constructor(
    readonly name: string,
    private readonly maxDelay: number,
    private readonly ceilings: Ceilings,
  ) {
    this.#controller = new Controller(maxDelay);
  }

  admits(priority: Priority): boolean {
    this.#shedding.note(priority);
    this.#update();
    if (this.#shedding.sheds(priority)) return false;
    return this.#turn.age() <= this.maxDelay * allowances[priority];
  }

  #update(): void {
    const now = performance.now();
    const elapsed = now - this.#updatedAt;
    if (elapsed < interval) return;
    this.#updatedAt = now;
    const delay = this.#delay.read();
    if (delay !== undefined) this.#controller.update(delay, elapsed);
    const part = Math.max(this.#controller.shed, memoryPressure(this.ceilings));
    this.#shedding.update(part, elapsed);
  }
}
