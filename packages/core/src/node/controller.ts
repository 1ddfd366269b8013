/** Per second of a delay that is twice the target; as a part of what is let in. */
const integral = 2;

/** For a delay that has grown by the target. */
const proportional = 0.6;

/** In targets: what a delay counts as at most, so that one long turn does not shut the door. */
const worst = 4;

/** Milliseconds: what has been so for longer than this counts no more for it. */
const longest = 200;

/** The natural logarithm of the smallest part that is let in. */
const least = Math.log(0.005);

/**
 * Which part of the requests must be shed to hold a delay near its target: a PI controller as that of PIE (RFC 8033), by how far the delay is off and by
 * how much it has changed. It moves the logarithm of the part that is let in, where PIE scales its steps by the part that is dropped: a step then
 * has the same effect on the load at every overload.
 */
export class Controller {
  /** The natural logarithm of the part that is let in. */
  #admitted = 0;
  #error = -1;

  constructor(
    /** Milliseconds. */
    private readonly target: number,
  ) {}

  /** From 0 to 1. */
  get shed(): number {
    return 1 - Math.exp(this.#admitted);
  }

  /** The delay was so, in milliseconds, over the time since the last update, in milliseconds. */
  update(delay: number, elapsed: number): void {
    const error = Math.min(delay / this.target - 1, worst);
    const seconds = (error > 0 ? Math.min(elapsed, longest) : elapsed) / 1000;
    const step = integral * error * seconds + proportional * (error - this.#error);
    this.#error = error;
    this.#admitted = Math.min(0, Math.max(least, this.#admitted - step));
  }
}
