import type { Phase } from './plan.ts';

const MAX_REQUESTS = 50_000;

/**
 * The scheduled time of each request, in milliseconds from the start. Arrivals are independent of each other (a Poisson
 * process), like those of unrelated visitors: evenly spaced ones would never need a queue.
 */
export function schedule(phases: readonly Phase[], random: () => number): number[] {
  const due: number[] = [];
  for (const { from, to, rate } of phases) {
    let at = from;
    while (rate > 0) {
      at += (-Math.log(1 - random()) / rate) * 1_000;
      if (at >= to) break;
      if (due.length === MAX_REQUESTS)
        throw new RangeError(`a schedule of more than ${MAX_REQUESTS} requests`);
      due.push(at);
    }
  }
  return due;
}

/** A small seeded generator (a Weyl sequence, mixed), so that both runs get the same visitors. */
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
