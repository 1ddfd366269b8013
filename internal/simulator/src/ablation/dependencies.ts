import { adaptive, type LimiterOptions, type Outcome } from '@headgate/core';
import { arrive, type Rate } from '../arrivals.ts';
import { CallbackWaiter } from '../callback-waiter.ts';
import { Dependency } from '../dependency.ts';
import { constant, type Distribution, exponential, lognormal } from '../distributions.ts';
import { kinds, type Outage } from '../outages/outage.ts';
import { randomScene, useOf } from '../outages/recovery.ts';
import { randomFrom } from '../random.ts';
import { Simulation } from '../simulation.ts';
import { mean } from '../watch.ts';
import type { Situation } from './situation.ts';

/** A stream of calls. */
interface Stream {
  /** Calls per second. */
  readonly rate: Rate;
  readonly time: Distribution;
  readonly kind?: string;
  readonly weight?: number;
}

/** `adaptive()` alone, without an event loop, in front of a dependency that changes. */
interface Scene {
  readonly capacity: number;
  readonly streams: readonly Stream[];
  /** Calls per second that can be served in time. */
  readonly possible: number;
  /** The seconds whose calls are counted. */
  readonly from: number;
  readonly to: number;
  /** Milliseconds within which an answer is in time. */
  readonly patience: number;
  readonly options?: Partial<LimiterOptions>;
  /** The capacity and the slowness from certain seconds on. */
  readonly changes?: readonly (readonly [at: number, capacity: number, slowness?: number])[];
  /** How a call ends, by the number in flight. Default: `ok`. */
  readonly outcome?: (inflight: number) => Outcome;
}

const limit = adaptive();
const queue = { queueLimit: 50, queueTimeout: 300 };
/** Nothing slows its work down; the limit's queue is long, and its waits are short. */
const boundless = { capacity: 1e6, options: { queueLimit: 1000, queueTimeout: 250 } };

function answeredPart(scene: Scene, seed: number): number {
  const { from, to, patience, possible } = scene;
  const simulation = new Simulation(seed);
  const dependency = new Dependency(simulation, scene.capacity);
  const limiter = simulation.limiter({ limit, ...scene.options });
  for (const [at, capacity, slowness = 1] of scene.changes ?? []) {
    simulation.setTimeout(() => dependency.change(capacity, slowness), 1000 * at);
  }
  let answered = 0;
  for (const { rate, time, kind, weight = 1 } of scene.streams) {
    arrive(simulation, rate, () => {
      const at = simulation.now();
      const waiter = new CallbackWaiter((permit) => {
        permit.kind = kind;
        dependency.serve(time(simulation.random), () => {
          const outcome = scene.outcome?.(limiter.inflight) ?? 'ok';
          permit.release(outcome);
          const isInTime = outcome === 'ok' && simulation.now() - at <= patience;
          if (isInTime && at >= 1000 * from && at < 1000 * to) answered++;
        });
      });
      waiter.weight = weight;
      waiter.requestFrom(limiter);
    });
  }
  simulation.runUntil(1000 * to + patience);
  return Math.min(1, answered / (possible * (to - from)));
}

const lognormalOf = (time: number, spread: number) =>
  lognormal(time / Math.exp(spread ** 2 / 2), spread);

const of = (rate: Rate, time: Distribution): readonly Stream[] => [{ rate, time }];

/** Slow for two seconds of six, from the eighth second on. */
const slowdowns = Array.from({ length: 8 }, (_, index) => [
  [8 + 6 * index, 1000, 8] as const,
  [10 + 6 * index, 1000, 1] as const,
]).flat();

const gradually = Array.from({ length: 80 }, (_, index) => [20 + index, 20 - index / 5] as const);

const scenes: Readonly<Record<string, Scene>> = {
  'a pool of 10 × 100 ms at 10 ×': {
    ...{ capacity: 10, streams: of(1000, exponential(100)), possible: 100 },
    ...{ from: 5, to: 25, patience: 600 },
  },
  'a pool of 2 × 200 ms at 2 ×': {
    ...{ capacity: 2, streams: of(20, exponential(200)), possible: 10, options: queue },
    ...{ from: 10, to: 60, patience: 1500 },
  },
  'a pool of 100 × 200 ms at 3 × from the first call on': {
    ...{ capacity: 100, streams: of(1500, lognormalOf(200, 1)), possible: 500, options: queue },
    ...{ from: 0, to: 15, patience: 1000 },
  },
  'a pool of 10 × 500 ms at 1.5 × from the first call on': {
    ...{ capacity: 10, streams: of(30, exponential(500)), possible: 20, options: queue },
    ...{ from: 5, to: 60, patience: 2500 },
  },
  'an initial limit of 8, a pool of 5 × 200 ms at 3 × from the first call on': {
    ...{ capacity: 5, streams: of(75, lognormalOf(200, 0.3)), possible: 25 },
    ...{ options: { ...queue, limit: adaptive({ initial: 8 }) }, from: 0, to: 20, patience: 700 },
  },
  'an initial limit of 30, a pool of 20 × 1 s at 1.5 × from the first call on': {
    ...{ capacity: 20, streams: of(30, exponential(1000)), possible: 20 },
    ...{
      options: { ...queue, limit: adaptive({ initial: 30 }) },
      from: 10,
      to: 100,
      patience: 4000,
    },
  },
  'a pool of 10 that shrinks to 3': {
    ...{ capacity: 10, streams: of(80, exponential(100)), possible: 30, changes: [[60, 3]] },
    ...{ from: 65, to: 125, patience: 500 },
  },
  'a pool of 10 that is 3 for a minute': {
    ...{ capacity: 10, streams: of(80, exponential(100)), possible: 80 },
    ...{ changes: [[30, 3] as const, [90, 10] as const], from: 90, to: 120, patience: 500 },
  },
  'a pool of 100 that shrinks to 20': {
    ...{ capacity: 100, streams: of(900, lognormalOf(100, 1)), possible: 200, options: queue },
    ...{ changes: [[30, 20] as const], from: 32, to: 62, patience: 700 },
  },
  'a pool of 20 that shrinks slowly to 4': {
    ...{ capacity: 20, streams: of(400, exponential(50)), possible: 80, changes: gradually },
    ...{ from: 100, to: 130, patience: 250 },
  },
  'eight times slower for two seconds of six': {
    ...{ capacity: 1000, streams: of(100, lognormal(50, 0.5)), possible: 100, options: queue },
    ...{ changes: slowdowns, from: 8, to: 56, patience: 2000 },
  },
  'ten times slower for good': {
    ...{
      capacity: 1000,
      streams: of(80, exponential(100)),
      possible: 80,
      changes: [[30, 1000, 10]],
    },
    ...{ options: { queueLimit: 20 }, from: 90, to: 150, patience: 10_000 },
  },
  'three times slower for good, 100 calls in flight': {
    ...{ capacity: 1000, streams: of(1000, lognormal(100, 0.5)), possible: 1000 },
    ...{ changes: [[15, 1000, 3] as const], options: queue, from: 16, to: 31, patience: 3000 },
  },
  'twenty times slower for good': {
    ...{ capacity: 1000, streams: of(200, lognormal(5, 0.5)), possible: 200 },
    ...{ changes: [[30, 1000, 20] as const], options: { queueLimit: 20 } },
    ...{ from: 35, to: 65, patience: 2000 },
  },
  'twice as slow for 30 s, a pool of 10 at 1.5 ×': {
    ...{ capacity: 10, streams: of(428, lognormal(31, 0.5)), possible: 285, options: queue },
    ...{ changes: [[30, 10, 2] as const, [60, 10, 1] as const], from: 62, to: 82, patience: 500 },
  },
  'two calls a second of 10 s, a pool of 5': {
    ...{ capacity: 5, streams: of(2, lognormalOf(10_000, 0.3)), possible: 0.5 },
    ...{ from: 600, to: 3000, patience: 50_000 },
  },
  '2,000 calls a second of 10 ms, a pool of 15': {
    ...{ capacity: 15, streams: of(2000, lognormalOf(10, 0.3)), possible: 1500 },
    ...{ from: 3, to: 9, patience: 50 },
  },
  'one call in a hundred takes 1 s, the others 10 ms': {
    capacity: 100,
    streams: of(2000, (random) => (random() < 0.01 ? 1000 : 10)),
    ...{ possible: 2000, options: queue, from: 5, to: 20, patience: 3000 },
  },
  'a changing mix of kinds': {
    capacity: 100,
    streams: [
      {
        rate: (now) => (now % 20_000 < 10_000 ? 1000 : 30),
        ...{ time: exponential(1), kind: 'quick' },
      },
      { rate: 60, time: exponential(1000), kind: 'slow' },
    ],
    ...{ possible: 575, from: 20, to: 80, patience: 6000 },
  },
  'an overload by one of two kinds': {
    capacity: 20,
    streams: [
      { rate: 20, time: exponential(5), kind: 'quick' },
      { rate: 60, time: exponential(1000), kind: 'slow' },
    ],
    ...{ possible: 40, options: queue, from: 60, to: 160, patience: 3000 },
  },
  'work of 200 ms that nothing slows down': {
    ...{ ...boundless, streams: of(500, lognormalOf(200, 1)), possible: 500 },
    ...{ from: 1, to: 13, patience: 5000 },
  },
  'work of 1 s that nothing slows down': {
    ...{ ...boundless, streams: of(100, lognormalOf(1000, 0.3)), possible: 100 },
    ...{ from: 10, to: 40, patience: 10_000 },
  },
  'the first ten round trips of work of 1 s': {
    ...{ ...boundless, streams: of(50, lognormalOf(1000, 1)), possible: 50 },
    ...{ from: 0, to: 10, patience: 20_000 },
  },
  'the first seconds of work of 10 s': {
    ...{ ...boundless, streams: of(5, lognormalOf(10_000, 0.3)), possible: 5 },
    ...{ from: 0, to: 60, patience: 50_000 },
  },
  'a server that drops what exceeds 30 in flight': {
    ...{ capacity: 1000, streams: of(2000, exponential(100)), possible: 300 },
    ...{ outcome: (inflight) => (inflight > 30 ? 'dropped' : 'ok') },
    ...{ from: 10, to: 40, patience: 2000 },
  },
  'a pool of 10 at 0.6 ×': {
    ...{ capacity: 10, streams: of(60, exponential(100)), possible: 60 },
    ...{ from: 20, to: 80, patience: 1000 },
  },
  'a spike after light load, a pool of 50': {
    ...{ capacity: 50, streams: of((now) => (now < 5000 ? 20 : 7000), constant(35)) },
    ...{ possible: 1428, options: queue, from: 5, to: 10, patience: 500 },
  },
  'calls of weight 5, a pool of 20': {
    capacity: 20,
    streams: [{ rate: 400, time: exponential(100), weight: 5 }],
    ...{ possible: 200, options: { ...queue, limit: adaptive({ min: 5 }) } },
    ...{ from: 5, to: 25, patience: 600 },
  },
  'a pool that does nothing for 800 ms of five seconds': {
    ...{ capacity: 10, streams: of(200, lognormal(30, 0.5)), possible: 200 },
    changes: Array.from({ length: 8 }, (_, index) => [
      [5 + 5 * index, 10, 1e6] as const,
      [5.8 + 5 * index, 10, 1] as const,
    ]).flat(),
    ...{ options: { queueLimit: 300, queueTimeout: 1000 }, from: 5, to: 45, patience: 2000 },
  },
};

/** How much of the capacity is used five seconds after outages of a kind, relative to before. */
function afterOutages(kind: Outage['kind'], count: number): number {
  const random = randomFrom(1);
  const parts: number[] = [];
  while (parts.length < count) {
    const scene = randomScene(random);
    const { before, after } = useOf({ ...scene, outage: { ...scene.outage, kind } }, limit, 5);
    parts.push(Math.min(1, after / before));
  }
  return mean(parts);
}

const seeds = [1, 2, 3];

export const dependencies: readonly Situation[] = [
  ...Object.entries(scenes).map(([name, scene]) => ({
    name: `adaptive(): ${name}`,
    answered: () => mean(seeds.map((seed) => answeredPart(scene, seed))),
  })),
  ...kinds.map((kind) => ({
    name: `adaptive(): after outages, ${kind}`,
    answered: () => afterOutages(kind, 8),
  })),
];
