/** Integral gain: how far the logarithm of the admitted fraction falls per second at twice the target delay. */
const INTEGRAL_GAIN = 1;

/** How much faster the fraction rises than it falls, so that it recovers within a second after an overload. */
const RECOVERY_FACTOR = 3;

/** Proportional gain: how far it falls when the delay grows by the target. */
const PROPORTIONAL_GAIN = 0.4;

/** Maximum error, in targets, so that one long iteration does not reject every request. */
const MAX_ERROR = 4;

/** Maximum time that one measured delay counts for, in milliseconds. */
const MAX_ELAPSED_MS = 200;

/** Logarithm of the minimum admitted fraction: without any requests the end of an overload would go unnoticed. */
const MIN_LOG_ADMITTED = Math.log(0.005);

/**
 * Computes the fraction of requests to shed to hold a delay near its target: a PI controller like that of PIE (RFC
 * 8033), driven by the error of the delay and its change. It adjusts the logarithm of the admitted fraction, where
 * PIE scales its steps by the drop probability, so that a step takes the same fraction of the load at every degree of
 * overload.
 */
export class Controller {
  /** Natural logarithm of the admitted fraction. */
  #logAdmitted = 0;
  /** Last error of the delay, in targets. */
  #error = -1;

  /** Fraction of requests to shed, from 0 to 1. */
  get shed(): number {
    return 1 - Math.exp(this.#logAdmitted);
  }

  /** Updates the fraction with the delay since the last update; all arguments are in milliseconds. */
  update(delay: number, target: number, elapsed: number): void {
    const error = Math.min(delay / target - 1, MAX_ERROR);
    const seconds =
      (error > 0 ? Math.min(elapsed, MAX_ELAPSED_MS) : RECOVERY_FACTOR * elapsed) / 1000;
    const step = INTEGRAL_GAIN * error * seconds + PROPORTIONAL_GAIN * (error - this.#error);
    this.#error = error;
    this.#logAdmitted = Math.min(0, Math.max(MIN_LOG_ADMITTED, this.#logAdmitted - step));
  }
}
