import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';

/** A period of constant load. */
export interface Phase {
  name: string;
  /** Seconds. */
  duration: number;
  /** Requests per second. */
  rate: number;
  /** The fraction of critical requests. Default: 0. */
  critical?: number;
}

/** A scheduled request. */
export interface Arrival {
  phase: string;
  /** Milliseconds since the start of the first phase. */
  at: number;
  critical: boolean;
}

/** Consecutive phases, each a Poisson process. Deterministic for a given seed. */
export function arrivals(phases: readonly Phase[], seed: number): Arrival[] {
  const generator = xoroshiro128plus(seed);
  const all: Arrival[] = [];
  let start = 0;
  for (const { name, duration, rate, critical = 0 } of phases) {
    const end = start + duration * 1_000;
    const gap = () => (-Math.log(1 - uniformFloat64(generator)) * 1_000) / rate;
    for (let at = start + gap(); at < end; at += gap()) {
      all.push({ phase: name, at, critical: uniformFloat64(generator) < critical });
    }
    start = end;
  }
  return all;
}
