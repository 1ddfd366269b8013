import { bimodal, constant, type Distribution, exponential, lognormal } from '../distributions.ts';

/** A limit and the mean duration of its requests. Times are in milliseconds. */
export interface Server {
  readonly limit: number;
  readonly mean: number;
  /** The `queueTimeout`. Default: 2,000. */
  readonly timeout?: number;
}

/** Distributions by name, with the mean as parameter. */
export const distributions = {
  constant,
  exponential,
  bimodal,
  lognormal: (mean: number): Distribution => lognormal(mean * Math.exp(-0.5), 1),
};

export const TIMEOUT_MS = 2000;

/** Requests per second at this multiple of the capacity. */
export function rate({ limit, mean }: Server, load: number): number {
  return (load * limit * 1000) / mean;
}

/** Such as `4 × 200 ms, bimodal, 0.9 × the capacity`. */
export function nameOf({ limit, mean, timeout }: Server, kind: string, ...more: string[]): string {
  const wait = timeout === undefined || timeout === TIMEOUT_MS ? [] : [`timeout ${timeout} ms`];
  return [`${limit} × ${mean} ms`, kind, ...wait, ...more].join(', ');
}

/** All combinations of two lists. */
export function pairs<A, B>(some: readonly A[], others: readonly B[]): (readonly [A, B])[] {
  return some.flatMap((one) => others.map((other) => [one, other] as const));
}

/** All combinations of three lists. */
export function triples<A, B, C>(a: readonly A[], b: readonly B[], c: readonly C[]) {
  return pairs(pairs(a, b), c).map(([[first, second], third]) => [first, second, third] as const);
}
