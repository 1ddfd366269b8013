import type { Limiter } from '@headgate/core';
import { readStats } from '@headgate/core/metrics';
import type { LimitSource } from './options.ts';
import { idOf, limiterOf, limitersOf, operablesOf } from './sources.ts';
import { gateView, type LimitView, limitView } from './view.ts';

/** How many processes hold or await permits of a limiter, if that is known. */
export type CountProcesses = (limiter: Limiter) => number | undefined;

/**
 * The rows of all sources. A limiter that several of them reuse has one row, which counts the requests of all. What
 * throws has no row.
 */
export function viewsOfAll(
  sources: readonly LimitSource[],
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
function viewsOf(source: LimitSource): LimitView[] {
  const views = readStats(source, nameOf(source), () => allViewsOf(source));
  if (views !== undefined) return views;
  const limiters = limitersOf(source).filter((limiter) => limiter !== source);
  return limiters.flatMap((limiter) => limiterView(limiter, undefined) ?? []);
}

function nameOf(source: LimitSource): string {
  const names = operablesOf(source).map(({ name }) => `"${name}"`);
  return names.length === 1 ? `limit ${names[0]}` : `the limits ${names.join(', ')}`;
}

function allViewsOf(source: LimitSource): LimitView[] {
  const stats = source.stats();
  if (!('limits' in stats)) return [limitView(source as Limiter, stats, undefined)];
  const { limits, ...counts } = stats;
  const [first] = limits;
  if (limits.length === 1 && first !== undefined) {
    const only = limiterOf(source, first.name);
    // The counts of the gate include what its guard or its own queue rejects.
    return [limitView(only, { ...first, ...counts, inflight: only.inflight }, undefined)];
  }
  const views = limits.map((each) => limitView(limiterOf(source, each.name), each, stats.name));
  return [gateView(source, stats), ...views];
}

/** The row of a limiter of the source that has one already, with its own counts instead of those of one gate. */
function ownView(source: LimitSource, { id, gate }: LimitView): LimitView | undefined {
  const limiter = limitersOf(source).find((each) => idOf(each) === id) as Limiter;
  return limiterView(limiter, gate);
}

function limiterView(limiter: Limiter, gate: string | undefined): LimitView | undefined {
  const owner = `limiter "${limiter.name}"`;
  return readStats(limiter, owner, () => limitView(limiter, limiter.stats(), gate));
}
