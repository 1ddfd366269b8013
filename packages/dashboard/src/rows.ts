import type { Handle, Limiter, LimiterStats } from '@headgate/core';
import { readStats } from '@headgate/core/metrics';
import { idOf, limitersOf, operablesOf } from './sources.ts';
import { gateView, type LimitView, limitView } from './view.ts';

/** How many processes hold or await permits of a limiter, if that is known. */
export type CountProcesses = (limiter: Limiter) => number | undefined;

/**
 * The rows of all sources. A limiter that several of them reuse has one row, which counts the requests of all. What
 * throws has no row.
 */
export function viewsOfAll(
  sources: readonly Handle[],
  processesOf: CountProcesses = () => undefined,
): LimitView[] {
  const rows = new Map<number, LimitView>();
  for (const source of new Set(sources)) {
    for (const view of viewsOf(source)) {
      const earlier = rows.get(view.id);
      const row = earlier === undefined ? view : ownView(source, earlier);
      if (row !== undefined) rows.set(view.id, row);
    }
  }
  for (const limiter of sources.flatMap(limitersOf)) {
    const row = rows.get(idOf(limiter));
    if (row?.store !== undefined) {
      rows.set(row.id, { ...row, store: { ...row.store, processes: processesOf(limiter) } });
    }
  }
  return [...rows.values()];
}

/** The rows of a middleware, a gate or a limiter; those of its limiters alone if its own statistics cannot be read. */
function viewsOf(source: Handle): LimitView[] {
  const views = readStats(source, nameOf(source), () => allViewsOf(source));
  if (views !== undefined) return views;
  const limiters = limitersOf(source).filter((limiter) => limiter !== source);
  return limiters.flatMap((limiter) => limiterView(limiter, undefined) ?? []);
}

function nameOf(source: Handle): string {
  const names = operablesOf(source).map(({ name }) => `"${name}"`);
  return names.length === 1 ? `limit ${names[0]}` : `the limits ${names.join(', ')}`;
}

function allViewsOf(source: Handle): LimitView[] {
  const stats = source.stats();
  const limits = stats.limits ?? [stats];
  const limiterOf = ({ name }: LimiterStats) => source.limiters[name] as Limiter;
  const [first] = limits;
  if (limits.length === 1 && first !== undefined) {
    // The counts of a gate include what its guard or its own queue rejects.
    const { limits: _, ...counts } = stats;
    return [limitView(limiterOf(first), { ...first, ...counts }, undefined)];
  }
  const views = limits.map((each) => limitView(limiterOf(each), each, stats.name));
  return [gateView(source, stats), ...views];
}

/** The row of a limiter of the source that has one already, with its own counts instead of those of one gate. */
function ownView(source: Handle, { id, gate }: LimitView): LimitView | undefined {
  const limiter = limitersOf(source).find((each) => idOf(each) === id) as Limiter;
  return limiterView(limiter, gate);
}

function limiterView(limiter: Limiter, gate: string | undefined): LimitView | undefined {
  const owner = `limiter "${limiter.name}"`;
  return readStats(limiter, owner, () => limitView(limiter, limiter.stats(), gate));
}
