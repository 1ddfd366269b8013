import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { compare } from './compare.ts';
import { goalsOf } from './goals.ts';
import type { NamedWorkload } from './named-workload.ts';
import type { HandlerKind } from './workload.ts';

/** What the default limit achieves under one workload. */
export interface Cell {
  readonly name: string;
  readonly kind: HandlerKind;
  /** Describes the workload without its load: the name of a table's row. */
  readonly server: string;
  readonly load: number;
  readonly answered: number;
  readonly withoutLimit: number;
  readonly ratio: number;
  readonly p99: number;
  readonly rejected: number;
  /** The goals that were missed. */
  readonly missed: readonly Goal[];
  /** The seed from which a random workload was drawn. */
  readonly seed?: number;
}

/** The figures that have a goal. `withoutLimit`: to answer as much as a server without a limit. */
export type Goal = 'ratio' | 'p99' | 'rejected' | 'withoutLimit';

/** Fraction of what a server without a limit answers that counts as equal to it. */
const AS_MUCH = 0.995;

export function cellOf(workload: NamedWorkload): Cell {
  const { name, kind, server, load } = workload;
  const { answered, withoutLimit, ratio, p99, rejected } = compare(workload);
  const { ratio: reference, p99: time, rejected: part } = goalsOf(workload);
  const missed: Goal[] = [];
  if (100 * ratio < reference[0]) missed.push('ratio');
  if (p99 > time[1]) missed.push('p99');
  if (100 * rejected > part[1]) missed.push('rejected');
  if (answered < AS_MUCH * withoutLimit) missed.push('withoutLimit');
  return { name, kind, server, load, answered, withoutLimit, ratio, p99, rejected, missed };
}

/** The lowest and the median of the ratios to the reference. */
export function ratiosOf(cells: readonly Cell[]): { worst: number; median: number } {
  const ratios = cells.map(({ ratio }) => ratio).sort((one, other) => one - other);
  const [worst = Number.NaN] = ratios;
  return { worst, median: ratios[ratios.length >> 1] ?? Number.NaN };
}

const folder = resolve(import.meta.dirname, '../../../../out');
const fileOf = (name: string) => join(folder, `${name}.jsonl`);

/** Appends a result, so that a run can be interrupted and resumed. */
export function add(name: 'grid' | 'random', cell: Cell): void {
  mkdirSync(folder, { recursive: true });
  appendFileSync(fileOf(name), `${JSON.stringify(cell)}\n`);
}

/** The results of earlier runs. */
export function kept(name: 'grid' | 'random'): Cell[] {
  const file = fileOf(name);
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as Cell);
}
