import type { Handle, Limiter, LimiterStats } from '@headgate/core';
import { readStats } from '@headgate/core/metrics';
import { type Figures, gateFigures, limitFigures } from './figures.ts';
import { idOf, limitersOf, operablesOf, soleGuardOf } from './sources.ts';
import { gateView, type LimitView, limitView } from './view.ts';

/** A row of the page. Its view, which is several times as expensive as its sample, is created only for viewers. */
export interface Row {
  readonly id: number;
  /** Undefined for a gate of several limits, or of none. */
  readonly limiter: Limiter | undefined;
  /** The name of the gate that the limit belongs to, if that has a row of its own. */
  readonly gate: string | undefined;
  readonly sample: Figures;
  /** @param processes How many processes hold or await permits, if that is known. */
  view(processes?: number): LimitView;
}

/**
 * The rows of all sources. A limiter that several of them reuse has one row, which counts the requests of all. What
 * throws has no row.
 */
export function rowsOfAll(sources: readonly Handle[]): Row[] {
  const rows = new Map<number, Row>();
  for (const source of new Set(sources)) {
    for (const row of rowsOf(source)) {
      const earlier = rows.get(row.id);
      const { limiter } = row;
      // With its own counts instead of those of one gate.
      const isReused = earlier !== undefined && limiter !== undefined;
      const own = isReused ? limiterRow(limiter, earlier.gate) : row;
      if (own !== undefined) rows.set(own.id, own);
    }
  }
  return [...rows.values()];
}

/** The rows of a middleware, a gate or a limiter; those of its limiters alone if its own statistics cannot be read. */
function rowsOf(source: Handle): Row[] {
  const rows = readStats(source, nameOf(source), () => allRowsOf(source));
  if (rows !== undefined) return rows;
  const limiters = limitersOf(source).filter((limiter) => limiter !== source);
  return limiters.flatMap((limiter) => limiterRow(limiter, undefined) ?? []);
}

function nameOf(source: Handle): string {
  const names = operablesOf(source).map(({ name }) => `"${name}"`);
  return names.length === 1 ? `limit ${names[0]}` : `the limits ${names.join(', ')}`;
}

function allRowsOf(source: Handle): Row[] {
  const stats = source.stats();
  const limits = stats.limits ?? [stats];
  const { limiters } = source;
  const limiterOf = ({ name }: LimiterStats) => limiters[name] as Limiter;
  const [first] = limits;
  if (limits.length === 1 && first !== undefined) {
    // The counts of a gate include what its guard or its own queue rejects.
    const { limits: _, ...counts } = stats;
    return [rowOf(limiterOf(first), { ...first, ...counts }, undefined)];
  }
  const guard = soleGuardOf(source);
  const sample = gateFigures(guard, stats);
  const view = () => gateView(source, stats, sample);
  const gate = { id: idOf(guard ?? source), limiter: undefined, gate: undefined, sample, view };
  return [gate, ...limits.map((each) => rowOf(limiterOf(each), each, stats.name))];
}

function limiterRow(limiter: Limiter, gate: string | undefined): Row | undefined {
  const owner = `limiter "${limiter.name}"`;
  return readStats(limiter, owner, () => rowOf(limiter, limiter.stats(), gate));
}

function rowOf(limiter: Limiter, stats: LimiterStats, gate: string | undefined): Row {
  const sample = limitFigures(limiter, stats);
  const view = (processes?: number) => limitView(limiter, stats, gate, sample, processes);
  return { id: idOf(limiter), limiter, gate, sample, view };
}
