import { checkNames, checkText, isNumber } from '../checks.ts';
import { type Clock, checkClock } from '../clock.ts';
import { HeadgateError, invalid } from '../errors.ts';
import type { Guard } from '../gate/options.ts';
import type { GuardStats } from '../limiter/gate-guard.ts';
import { readOrWarn } from '../read-or-warn.ts';
import type { Priority } from '../semaphore/priority.ts';
import { Shedding } from './shedding.ts';

/** Something that requests wait for, measured by the application or by `memoryUse()` and `roundTrip()`. */
export interface Signal {
  /**
   * Returns how long a request would wait now, in milliseconds. It may return any other number that grows with the
   * load, such as the number of waiters of a pool. Called while requests arrive, at most every 50 ms.
   */
  readonly delay: () => number;
  /**
   * The delay, above 0, that requests of priority `normal` tolerate. `critical` requests tolerate eight times as much,
   * `high` twice, `low` half, `sheddable` a quarter.
   */
  readonly target: number;
}

interface CommonGuardOptions {
  /** Identifies the guard in rejections; visible to clients. */
  name: string;
  /** Time, for tests. Default: `performance.now()`. */
  clock?: Clock | undefined;
}

/** A guard has one or more signals. The signal whose delay is highest relative to its target decides. */
export type GuardOptions = CommonGuardOptions &
  (
    | (Signal & { signals?: undefined })
    | { signals: readonly Signal[]; delay?: undefined; target?: undefined }
  );

/** Milliseconds between readings of the signals. */
const READ_INTERVAL_MS = 50;

/**
 * Rejects requests (`overloaded`) while a resource that they need is too slow, the lowest priorities first. The
 * controller of PIE (RFC 8033) computes the fraction of rejected requests from the delay. The guard has no timer and
 * need not be closed.
 *
 * @throws HeadgateError for an unknown or invalid option.
 */
export function guard(options: GuardOptions): Guard {
  checkNames('guard', options, ['name', 'delay', 'target', 'signals', 'clock']);
  return new SignalGuard(
    checkText('name', options.name),
    signalsOf(options),
    checkClock(options.clock),
  );
}

function signalsOf(options: GuardOptions): readonly Signal[] {
  const { signals } = options;
  if (signals === undefined) return [checkSignal(options)];
  if (options.delay !== undefined || options.target !== undefined) {
    const message = 'signals must be set without delay and target: add them to the signals';
    throw new HeadgateError('ERR_HEADGATE_OPTION', message, 'signals');
  }
  if (!Array.isArray(signals) || signals.length === 0)
    throw invalid('signals', 'an array of at least one signal', signals);
  return signals.map(checkSignal);
}

function checkSignal({ delay, target }: Signal): Signal {
  if (typeof delay !== 'function')
    throw invalid('delay', 'a function that returns a number', delay);
  if (isNumber(target) && target > 0 && target < Infinity) return { delay, target };
  throw invalid('target', 'a number above 0', target);
}

class SignalGuard implements Guard {
  readonly #shedding = new Shedding();
  readonly #recent = new RecentRejections();
  #delay: number | undefined;
  #readAt = -Infinity;

  constructor(
    readonly name: string,
    private readonly signals: readonly Signal[],
    private readonly clock: Clock,
  ) {}

  admits(priority: Priority): boolean {
    this.#shedding.arrived(priority);
    const now = this.clock.now();
    if (now - this.#readAt >= READ_INTERVAL_MS) this.#read(now);
    const isShed = this.#shedding.sheds(priority);
    this.#recent.add(isShed);
    return !isShed;
  }

  /** The state at the latest request. Omits the delay if there are several signals, since their units may differ. */
  stats(): GuardStats {
    const shedding = this.#recent.fraction;
    return this.signals.length > 1 ? { shedding } : { delay: this.#delay, shedding };
  }

  #read(now: number): void {
    const elapsed = Math.min(now - this.#readAt, Number.MAX_SAFE_INTEGER);
    this.#readAt = now;
    let worst = 0;
    for (const signal of this.signals) {
      this.#delay = this.#delayOf(signal);
      worst = Math.max(worst, this.#delay / signal.target);
    }
    this.#recent.fade(elapsed);
    this.#shedding.update(worst, elapsed);
  }

  /** A signal that fails counts as 0: if it rejected requests, a faulty signal would cause an outage. */
  #delayOf(signal: Signal): number {
    const problem = `a signal of guard "${this.name}" cannot be read`;
    const read = () => {
      const delay: unknown = signal.delay();
      if (isNumber(delay)) return delay;
      throw invalid('delay', 'a function that returns a number', delay);
    };
    return readOrWarn(signal, 'HEADGATE_STATS', problem, read) ?? 0;
  }
}

/** Time constant of the counts, in milliseconds. */
const TIME_CONSTANT_MS = 1000;

/** The fraction of the latest requests that were rejected, for statistics. */
class RecentRejections {
  #requests = 0;
  #rejected = 0;

  /** From 0 to 1. */
  get fraction(): number {
    return this.#requests === 0 ? 0 : this.#rejected / this.#requests;
  }

  add(isRejected: boolean): void {
    this.#requests++;
    if (isRejected) this.#rejected++;
  }

  /** Reduces the weight of earlier requests; `elapsed` is the time since the last call in milliseconds. */
  fade(elapsed: number): void {
    const fade = Math.exp(-elapsed / TIME_CONSTANT_MS);
    this.#requests *= fade;
    this.#rejected *= fade;
  }
}
