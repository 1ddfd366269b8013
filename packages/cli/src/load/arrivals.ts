/** A period of constant load. */
export interface Phase {
  readonly name: string;
  /** Milliseconds. */
  readonly duration: number;
  /** Requests per second. */
  readonly rate: number;
}

/** A scheduled request. */
export interface Arrival {
  /** The name of its phase. */
  readonly phase: string;
  /** Milliseconds since the start of the first phase. */
  readonly at: number;
  /** A random number from 0 to 1, which decides what is requested. */
  readonly draw: number;
}

/** More would not fit into the memory of the generator; a server that needs more is too fast to be overloaded here. */
const MAX_ARRIVALS = 500_000;

/**
 * Consecutive phases. Arrivals are independent of each other (a Poisson process), as real clients' are; evenly spaced
 * ones would never need a queue. The same seed yields the same arrivals.
 *
 * @throws RangeError for more than 500,000 arrivals.
 */
export function arrivals(phases: readonly Phase[], seed: number): Arrival[] {
  const random = seeded(seed);
  const all: Arrival[] = [];
  let start = 0;
  for (const { name, duration, rate } of phases) {
    const end = start + duration;
    const gap = () => (-Math.log(1 - random()) * 1_000) / rate;
    for (let at = start + gap(); at < end; at += gap()) {
      if (all.length === MAX_ARRIVALS)
        throw new RangeError(`a schedule of more than ${MAX_ARRIVALS} requests`);
      all.push({ phase: name, at, draw: random() });
    }
    start = end;
  }
  return all;
}

/** A small seeded generator (a mixed Weyl sequence). */
function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
}
