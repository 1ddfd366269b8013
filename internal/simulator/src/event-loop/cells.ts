import { constant, type Distribution, lognormal } from '../distributions.ts';
import { arrivalCost, type Cell, capacityOf, type Kind, REJECTION_COST } from './cell.ts';

const lognormalOf = (mean: number, spread: number) =>
  lognormal(mean / Math.exp(spread ** 2 / 2), spread);

/** Distributions of work with a given mean. */
const works: Readonly<Record<string, (mean: number) => Distribution>> = {
  constant,
  'lognormal 0.3': (mean) => lognormalOf(mean, 0.3),
  'lognormal 1.0': (mean) => lognormalOf(mean, 1),
  '1 % a hundred times as long': (mean) => (random) =>
    random() < 0.01 ? (100 * mean) / 1.99 : mean / 1.99,
};

const kinds: readonly Kind[] = ['sync', 'timer', 'socket', 'pool'];
const loads = [0.5, 0.8, 0.9, 1, 2, 5, 10, 20];
const means = { loop: [1, 3, 10, 25, 50, 100], pool: [5, 35, 200] };
const poolSizes = [5, 10, 50];

export interface NamedCell extends Cell {
  readonly name: string;
}

interface Choice {
  readonly kind: Kind;
  readonly mean: number;
  readonly work: string;
  readonly load: number;
  readonly workers?: number;
  readonly connects?: boolean;
  readonly seed?: number;
}

const places: Readonly<Record<Kind, string>> = {
  sync: 'of CPU',
  timer: 'of CPU after a timer',
  socket: 'of CPU after a socket',
  pool: 'in a pool',
};

export function cell({
  workers = 1,
  connects = false,
  seed = 1,
  work,
  ...choice
}: Choice): NamedCell {
  const { kind, mean, load } = choice;
  const place = kind === 'pool' ? `${places[kind]} of ${workers}` : places[kind];
  const connection = connects ? ', a connection each' : '';
  const name = `${mean} ms ${place}, ${work}${connection}, ${load} ×`;
  const make = works[work] as (mean: number) => Distribution;
  // Enough requests for a 99th percentile.
  const seconds = Math.min(120, Math.max(12, 2 + (3 * mean) / load));
  return { ...choice, work: make(mean), workers, connects, seed, seconds, name };
}

/** Whether the loop could at least reject every request. */
export function isPossible(cell: Cell): boolean {
  return capacityOf(cell) * cell.load * (arrivalCost(cell) + REJECTION_COST) < 900;
}

/** A cell chosen at random. */
export function randomCell(random: () => number): NamedCell {
  const pick = <T>(from: readonly T[]) => from[Math.floor(random() * from.length)] as T;
  const kind = pick(kinds);
  return cell({
    kind,
    mean: pick(kind === 'pool' ? means.pool : means.loop),
    work: pick(Object.keys(works)),
    load: pick(loads),
    workers: kind === 'pool' ? pick(poolSizes) : 1,
    connects: kind !== 'pool' && random() < 0.5,
    seed: 1 + Math.floor(random() * 1e6),
  });
}
