import { constant, type Distribution, lognormal } from '../distributions.ts';
import {
  arrivalCost,
  capacityOf,
  type HandlerKind,
  REJECTION_COST,
  type Workload,
} from './workload.ts';

const lognormalOf = (mean: number, spread: number) =>
  lognormal(mean / Math.exp(spread ** 2 / 2), spread);

/** Distributions with a given mean. */
const distributions = {
  constant,
  'lognormal 0.3': (mean: number) => lognormalOf(mean, 0.3),
  'lognormal 1.0': (mean: number) => lognormalOf(mean, 1),
  '1 % a hundred times as long': (mean: number) => (random) =>
    random() < 0.01 ? (100 * mean) / 1.99 : mean / 1.99,
} satisfies Readonly<Record<string, (mean: number) => Distribution>>;

type DistributionName = keyof typeof distributions;

const distributionNames = Object.keys(distributions) as DistributionName[];
export const kinds: readonly HandlerKind[] = [
  'sync',
  'timer',
  'socket',
  'query',
  'queries',
  'pool',
];
export const loads = [0.5, 0.8, 0.9, 1, 2, 5, 10, 20];
const means = { loop: [1, 3, 10, 25, 50, 100], pool: [5, 35, 200] };
const poolSizes = [5, 10, 50];

/** The properties that distinguish workloads. */
interface Choice {
  readonly kind: HandlerKind;
  readonly mean: number;
  readonly distribution: DistributionName;
  readonly load: number;
  readonly workers?: number;
  readonly connects?: boolean;
  readonly seed?: number;
}

export interface NamedWorkload extends Workload {
  readonly name: string;
  /** The name without the load. */
  readonly server: string;
  readonly distribution: DistributionName;
}

const places: Readonly<Record<HandlerKind, string>> = {
  sync: 'of CPU',
  timer: 'of CPU after a timer',
  socket: 'of CPU after a socket',
  query: 'of CPU after a query of 100 ms',
  queries: 'of CPU between queries of 100 and 10 ms',
  pool: 'in a pool',
};

export function workload(choice: Choice): NamedWorkload {
  const { kind, mean, distribution, load, workers = 1, connects = false, seed = 1 } = choice;
  const place = kind === 'pool' ? `${places[kind]} of ${workers}` : places[kind];
  const connection = connects ? ', a connection each' : '';
  const server = `${mean} ms ${place}, ${distribution}${connection}`;
  const name = `${server}, ${load} ×`;
  const serviceTime = distributions[distribution](mean);
  // Enough requests for a 99th percentile. With a few long ones, enough that chance does not decide.
  const answers = distribution === '1 % a hundred times as long' ? 30_000 : 3_000;
  const seconds = 12 + (answers * mean) / workers / 1000;
  const names = { name, server, distribution };
  return { kind, mean, serviceTime, load, workers, connects, seed, seconds, ...names };
}

/** Whether the loop has time to reject every request, with a tenth to spare. If it does not, no queue can help. */
export function isPossible(candidate: Workload): boolean {
  const perSecond = capacityOf(candidate) * candidate.load;
  return perSecond * (arrivalCost(candidate) + REJECTION_COST) < 900;
}

/** All combinations for one kind of handler. */
export function allWorkloads(kind: HandlerKind): NamedWorkload[] {
  const isPool = kind === 'pool';
  return (isPool ? means.pool : means.loop).flatMap((mean) =>
    (isPool ? poolSizes : [1]).flatMap((workers) =>
      (isPool ? [false] : [false, true]).flatMap((connects) =>
        distributionNames.flatMap((distribution) =>
          loads.map((load) => workload({ kind, mean, workers, connects, distribution, load })),
        ),
      ),
    ),
  );
}

export function randomWorkload(random: () => number): NamedWorkload {
  const pick = <T>(from: readonly T[]) => from[Math.floor(random() * from.length)] as T;
  for (;;) {
    const kind = pick(kinds);
    const candidate = workload({
      kind,
      mean: pick(kind === 'pool' ? means.pool : means.loop),
      distribution: pick(distributionNames),
      load: pick(loads),
      workers: kind === 'pool' ? pick(poolSizes) : 1,
      connects: kind !== 'pool' && random() < 0.5,
      seed: 1 + Math.floor(random() * 1e6),
    });
    if (isPossible(candidate)) return candidate;
  }
}
