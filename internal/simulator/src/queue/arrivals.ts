import type { Priority } from '@headgate/core';
import { arrive } from '../arrivals.ts';
import type { Distribution } from '../distributions.ts';
import { Simulation } from '../simulation.ts';

/** A request that will arrive. Times are in milliseconds. */
export interface Arrival {
  readonly at: number;
  /** How long it holds its permit. */
  readonly duration: number;
  /** After how long its client leaves if it has no answer. Default: never. */
  readonly clientTimeout?: number;
  readonly key?: string;
  readonly priority?: Priority;
  readonly fairBy?: string;
  readonly share?: string;
}

/** What distinguishes requests of the same load. */
export type Traits = Omit<Arrival, 'at' | 'duration'>;

export interface Load {
  /** Requests per second. */
  readonly perSecond: number;
  readonly duration: Distribution;
  /** When the first requests arrive. Default: 0. */
  readonly from?: number;
  readonly until: number;
  readonly seed: number;
  readonly traits?: (random: () => number, index: number) => Traits;
}

/** Draws Poisson arrivals before they are simulated, so that different queues receive the same ones. */
export function poisson({ perSecond, duration, from = 0, until, seed, traits }: Load): Arrival[] {
  const simulation = new Simulation(seed);
  const random = withoutFirst(simulation.random);
  const arrivals: Arrival[] = [];
  arrive(simulation, perSecond, () => {
    const at = from + simulation.now();
    arrivals.push({ at, duration: duration(random), ...traits?.(random, arrivals.length) });
  });
  simulation.runUntil(until - from);
  return arrivals;
}

/** Milliseconds between the requests of a burst. */
const GAP_MS = 0.01;

/** Requests that arrive at almost the same time. */
export function burst(
  at: number,
  size: number,
  duration: () => number,
  traits: Traits = {},
): Arrival[] {
  return Array.from({ length: size }, (_, index) => ({
    at: at + index * GAP_MS,
    duration: duration(),
    ...traits,
  }));
}

/** The first number of a small seed is nearly 1: as a gap or a duration, twenty times the mean. */
export function withoutFirst(random: () => number): () => number {
  random();
  return random;
}

/** Combines loads in the order of their arrivals. */
export function merge(...loads: readonly (readonly Arrival[])[]): Arrival[] {
  return loads.flat().sort((one, other) => one.at - other.at);
}
