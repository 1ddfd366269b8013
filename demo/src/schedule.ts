import type { Phase } from './plan.ts';

const maxRequests = 50_000;

/**
 * When each request is due, in milliseconds from the start. Arrivals are independent of each other (a Poisson process),
 * as real clients' are; evenly spaced ones would never need a queue.
 */
export function schedule(phases: readonly Phase[], random: () => number): number[] {
  const due: number[] = [];
  for (const { from, to, rate } of phases) {
    let at = from;
    while (rate > 0) {
      at += (-Math.log(1 - random()) / rate) * 1_000;
      if (at >= to) break;
      if (due.length === maxRequests)
        throw new RangeError(`a schedule of more than ${maxRequests} requests`);
      due.push(at);
    }
  }
  return due;
}

/** A small seeded generator (a mixed Weyl sequence), so that both runs get the same requests. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
}
