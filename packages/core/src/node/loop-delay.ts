import { monitorEventLoopDelay } from 'node:perf_hooks';

/** Milliseconds between samples. Not much: it is a timer of libuv's, which calls no JavaScript. */
const resolution = 10;

const perNanosecond = 1e-6;

/** What Node's own histogram says of the loop's delay, between one reading and the next. */
export class LoopDelay {
  readonly #histogram = monitorEventLoopDelay({ resolution });

  constructor() {
    this.#histogram.enable();
  }

  /**
   * Milliseconds that who comes at some moment has had to wait lately, and starts afresh; undefined where no sample has been
   * taken. A turn of ten times the length is met ten times as often, though it is one sample like any other: so each counts by
   * its length, as in the mean of the squares over the mean.
   */
  read(): number | undefined {
    const { count, mean, stddev, min } = this.#histogram;
    if (count === 0) return undefined;
    this.#histogram.reset();
    const met = mean + stddev ** 2 / mean;
    // What is sampled is the time from one sample to the next, so some of it is due.
    return Math.max(0, met * perNanosecond - Math.min(resolution, min * perNanosecond));
  }
}
