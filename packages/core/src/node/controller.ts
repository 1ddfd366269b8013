/** Integral gain: how far the logarithm of the admitted part falls in a second at twice the target. */
const integral = 1;

/** How much faster it rises than it falls: an overload that is over is to be forgotten within a second. */
const relief = 3;

/** Proportional gain: how far it falls when the delay grows by the target. */
const proportional = 0.4;

/** The largest error, in targets: one long turn must not shut the door. */
const worst = 4;

/** Milliseconds: a delay that was measured over a longer time counts for no more than this. */
const longest = 200;

/** The logarithm of the smallest part that is let in: somebody must be, to see that it is over. */
const least = Math.log(0.005);

/**
 * Which part of the requests must be shed to hold a delay near its target: a PI controller as that of PIE (RFC 8033), by
 * how far the delay is off and by how much it has changed. It moves the logarithm of the part that is let in, where PIE scales
 * its steps by the part that is dropped: so a step takes the same share of the load at every overload.
 */
export class Controller {
  /** The natural logarithm of the part that is let in. */
  #logAdmitted = 0;
  /** How far the delay was off, in targets. */
  #error = -1;

  /** From 0 to 1. */
  get shed(): number {
    return 1 - Math.exp(this.#logAdmitted);
  }

  /** The delay was so over the time since the last update; all in milliseconds. */
  update(delay: number, target: number, elapsed: number): void {
    const error = Math.min(delay / target - 1, worst);
    const seconds = (error > 0 ? Math.min(elapsed, longest) : relief * elapsed) / 1000;
    const step = integral * error * seconds + proportional * (error - this.#error);
    this.#error = error;
    this.#logAdmitted = Math.min(0, Math.max(least, this.#logAdmitted - step));
  }
}
