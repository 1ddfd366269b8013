import type { Entry } from './entry.ts';
import { CLIENT_LEFT } from './formats.ts';
import { LogHistogram } from './log-histogram.ts';

/** Windows in which about as many requests were in flight differ by less than this factor. */
const LEVEL_FACTOR = 1.2;
/** A window is complete once an entry ended this many milliseconds after it: logs are in the order of ends. */
const OPEN_MS = 600_000;
/** Longer requests count as this long. Bounds the windows that one entry touches. */
const MAX_TOOK_MS = OPEN_MS;

/** All windows in which about as many requests were in flight. */
export interface Level {
  windows: number;
  /** Answered requests. */
  answered: number;
  /** Milliseconds of all answered requests together. */
  took: number;
  /** Answered requests per second, by window. */
  readonly rates: LogHistogram;
  /** Mean milliseconds per request, by window. */
  readonly means: LogHistogram;
  /** Milliseconds, by request. */
  readonly durations: LogHistogram;
}

interface Window {
  answered: number;
  took: number;
  /** Milliseconds × requests in flight. */
  area: number;
  readonly durations: LogHistogram;
}

/**
 * Divides the time of a log into windows, and sums them up by how many requests were in flight. The memory depends on how
 * much time is open, not on the length of the log.
 */
export class Windows {
  /** By the logarithm of the number in flight. */
  readonly levels = new Map<number, Level>();
  readonly #open = new Map<number, Window>();
  #latest = -Infinity;

  /** @param length Milliseconds. */
  constructor(private readonly length: number) {}

  add({ end, took, status }: Entry): void {
    const { length } = this;
    const last = Math.floor(end / length);
    if (status !== CLIENT_LEFT) {
      const window = this.#at(last);
      window.answered++;
      window.took += took;
      window.durations.add(took);
    }
    const start = end - Math.min(took, MAX_TOOK_MS);
    for (let index = Math.floor(start / length); index <= last; index++) {
      const within = Math.min(end, (index + 1) * length) - Math.max(start, index * length);
      if (within > 0) this.#at(index).area += within;
    }
    if (last === this.#latest) return;
    this.#latest = last;
    for (const index of this.#open.keys()) {
      if (Math.abs(last - index) * length > OPEN_MS) this.#close(index);
    }
  }

  /** Completes all windows. */
  end(): void {
    for (const index of this.#open.keys()) this.#close(index);
  }

  #at(index: number): Window {
    let window = this.#open.get(index);
    if (window === undefined) {
      window = { answered: 0, took: 0, area: 0, durations: new LogHistogram() };
      this.#open.set(index, window);
    }
    return window;
  }

  #close(index: number): void {
    const { answered, took, area, durations } = this.#at(index);
    this.#open.delete(index);
    // Such a window says nothing about how long a request takes.
    if (answered === 0) return;
    const number = Math.round(
      Math.log(Math.max(area / this.length, 0.01)) / Math.log(LEVEL_FACTOR),
    );
    let level = this.levels.get(number);
    if (level === undefined) {
      level = {
        windows: 0,
        answered: 0,
        took: 0,
        rates: new LogHistogram(),
        means: new LogHistogram(),
        durations: new LogHistogram(),
      };
      this.levels.set(number, level);
    }
    level.windows++;
    level.answered += answered;
    level.took += took;
    level.rates.add((1000 * answered) / this.length);
    level.means.add(took / answered);
    level.durations.include(durations);
  }
}
