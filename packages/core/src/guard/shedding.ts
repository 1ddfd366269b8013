import { type Priority, priorities } from '../semaphore/priority.ts';

/** Time constant of the arrival counts, in milliseconds. */
const TIME_CONSTANT_MS = 1000;

interface PriorityState {
  readonly controller: PiController;
  /** Recent arrivals, decaying over time. */
  arrivals: number;
  /** Fraction of the requests that is shed. */
  part: number;
  /**
   * Requests that should have been shed, but have not been yet; usually a fraction. It spreads rejections evenly, where
   * random choices would admit requests in bursts.
   */
  carry: number;
}

/** The delay that each priority tolerates, as a multiple of that of `normal`. */
const toleranceOf: Readonly<Record<Priority, number>> = {
  critical: 8,
  high: 2,
  normal: 1,
  low: 0.5,
  sheddable: 0.25,
};

const ascending = /* @__PURE__ */ [...priorities].reverse();

/**
 * Distributes the shedding over the priorities, lowest first. Each priority has a controller with its own target. While
 * shedding the lower priorities keeps the delay below that target, no request of the priority itself is shed.
 */
export class Shedding {
  readonly #states = Object.fromEntries(
    priorities.map((name): [Priority, PriorityState] => [
      name,
      { controller: new PiController(), arrivals: 0, part: 0, carry: 0 },
    ]),
  ) as Record<Priority, PriorityState>;

  arrived(priority: Priority): void {
    this.#states[priority].arrivals++;
  }

  /**
   * @param delay Relative to the target of `normal`: 2 is twice the target.
   * @param elapsed Milliseconds since the last update.
   */
  update(delay: number, elapsed: number): void {
    let all = 0;
    for (const name of ascending) all += this.#states[name].arrivals;
    const fade = Math.exp(-elapsed / TIME_CONSTANT_MS);
    let below = 0;
    for (const name of ascending) {
      const state = this.#states[name];
      const { controller, arrivals } = state;
      controller.update(delay, toleranceOf[name], elapsed);
      const left = controller.shed * all - below;
      state.part = left <= 0 ? 0 : Math.min(1, left / arrivals);
      below += arrivals;
      state.arrivals *= fade;
    }
  }

  /** Whether to shed this request. */
  sheds(priority: Priority): boolean {
    const state = this.#states[priority];
    state.carry += state.part;
    if (state.carry < 1) return false;
    state.carry--;
    return true;
  }
}

/** Integral gain: by how much the logarithm of the admitted fraction falls per second at twice the target delay. */
const INTEGRAL_GAIN = 1;

/** The admitted fraction rises this many times faster than it falls, so that it recovers within two seconds. */
const RECOVERY_FACTOR = 3;

/** Proportional gain: by how much that logarithm falls when the delay grows by one target. */
const PROPORTIONAL_GAIN = 0.4;

/** Maximum error, in targets, so that one very long delay does not reject every request. */
const MAX_ERROR = 4;

/** Maximum time in milliseconds for which one measured delay counts. */
const MAX_ELAPSED_MS = 200;

/**
 * Logarithm of the minimum admitted fraction. Without any requests, the controller would not notice the end of an
 * overload.
 */
const MIN_LOG_ADMITTED = /* @__PURE__ */ Math.log(0.005);

/**
 * Computes which fraction of requests to shed so that a delay stays near its target. It is a PI controller like that of
 * PIE (RFC 8033), which uses the error of the delay and its change. PIE scales its steps by the drop probability; this
 * controller adjusts the logarithm of the admitted fraction, so a step removes the same fraction of the load at every
 * degree of overload.
 */
export class PiController {
  /** Natural logarithm of the admitted fraction. */
  #logAdmitted = 0;
  /** Last error of the delay, in targets. */
  #error = -1;

  /** Fraction of requests to shed, from 0 to 1. */
  get shed(): number {
    return 1 - Math.exp(this.#logAdmitted);
  }

  /** Updates the fraction. `delay` and `target` have the same unit; `elapsed` is in milliseconds. */
  update(delay: number, target: number, elapsed: number): void {
    const error = Math.min(delay / target - 1, MAX_ERROR);
    const seconds =
      (error > 0 ? Math.min(elapsed, MAX_ELAPSED_MS) : RECOVERY_FACTOR * elapsed) / 1000;
    const step = INTEGRAL_GAIN * error * seconds + PROPORTIONAL_GAIN * (error - this.#error);
    this.#error = error;
    this.#logAdmitted = Math.min(0, Math.max(MIN_LOG_ADMITTED, this.#logAdmitted - step));
  }
}
