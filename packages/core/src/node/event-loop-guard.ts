import { checkNames, checkSpan, checkText } from '../checks.ts';
import { invalid } from '../errors.ts';
import type { Guard } from '../gate/guard.ts';
import { Accepts } from './accepts.ts';
import { eventLoop } from './event-loop.ts';
import { LoopGuard } from './loop-guard.ts';
import { memoryPressure } from './memory.ts';

export interface EventLoopGuardOptions {
  /** Milliseconds, more than 0, that a request of class `normal` may have to wait for the event loop. Default: 50. */
  maxDelay?: number | undefined;
  /** The part of V8's heap limit, above 0 up to 1, from which on requests are shed. Default: they are not for that. */
  maxHeap?: number | undefined;
  /** The same, of the memory that the container or the machine has. Default: they are not for that. */
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

/** One for all guards of this thread: it listens for as long as the thread lives. */
let accepts: Accepts | undefined;

/**
 * Turns requests away that would have to wait too long for the event loop, the lowest classes first. It works where the
 * handlers themselves keep the loop busy, which no count of requests sees. It has no timer and need not be closed.
 *
 * @throws HeadgateError where an option is unknown or makes no sense.
 */
export function eventLoopGuard(options: EventLoopGuardOptions = {}): Guard {
  checkNames('eventLoopGuard', options, known);
  const name = checkText('name', options.name ?? 'event-loop');
  const maxDelay = checkSpan('maxDelay', options.maxDelay ?? 50);
  const maxHeap = checkCeiling('maxHeap', options.maxHeap);
  const maxRss = checkCeiling('maxRss', options.maxRss);
  accepts ??= new Accepts(eventLoop);
  const pressure = () => memoryPressure(maxHeap, maxRss);
  return new LoopGuard({ name, maxDelay, pressure, loop: eventLoop, accepts });
}

function checkCeiling(option: string, value: unknown): number | undefined {
  if (value === undefined) return value;
  if (typeof value === 'number' && value > 0 && value <= 1) return value;
  throw invalid(option, 'a fraction above 0, up to 1', value);
}
