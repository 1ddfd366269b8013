import type {
  Gate,
  GateGuard,
  GateStats,
  Limiter,
  LimiterState,
  LimiterStats,
  Operation,
  Priority,
  RejectionReason,
  ShareStats,
} from '@headgate/core';
import { readStats } from '@headgate/core/metrics';
import { invalid } from '@headgate/core/options';
import type { LimitSource } from './options.ts';

/** One row of the page: a limit, or a gate of several limits. It has names, but no keys. */
export interface LimitView {
  readonly id: number;
  readonly name: string;
  /** The limit's own name, by which `bounds` refers to it; undefined for a gate of several limits. */
  readonly limitName: string | undefined;
  /** The gate that the limit belongs to, if that has a row of its own. */
  readonly gate: string | undefined;
  /** Undefined for a gate, which counts requests instead of weight, and if each request sets the limit of its key. */
  readonly limit: number | undefined;
  readonly inflight: number;
  readonly queued: number;
  /** In milliseconds. */
  readonly longestWait: number;
  /** Keys in use; undefined if the limit is not keyed. */
  readonly keys: number | undefined;
  readonly admitted: number;
  readonly rejected: Readonly<Record<RejectionReason, number>>;
  readonly withdrawn: number;
  readonly leaked: number;
  readonly adaptive: boolean;
  readonly frozen: boolean;
  /** Milliseconds that work takes without load, as far as an adaptive limit knows it. */
  readonly baseline: number | undefined;
  readonly state: LimiterState;
  readonly mode: Limiter['mode'];
  /** Waiters by priority. */
  readonly priorities: Readonly<Record<Priority, number>> | undefined;
  readonly shares: Readonly<Record<string, ShareStats>> | undefined;
  readonly guard: GateStats['guard'];
  /** What an operator can do. */
  readonly operations: readonly Operation[];
  readonly store: StoreView | undefined;
}

/** A distributed limit: what the store last reported, and what this process counts. */
interface StoreView {
  readonly up: boolean;
  readonly declared: number;
  /** Weight held by this process. */
  readonly here: number;
  /** Waiters of this process. */
  readonly queuedHere: number;
  readonly reclaimed: number;
  readonly lost: number;
  /** In milliseconds. */
  readonly roundTrip: number | undefined;
  /** How many processes hold or await permits, if that is known. */
  readonly processes: number | undefined;
}

/** How many processes hold or await permits of a limiter, if that is known. */
export type CountProcesses = (limiter: Limiter) => number | undefined;

/**
 * The ids by which a page refers to limits. An id is never used again, so that no other limit is mistaken for it.
 */
const ids = new WeakMap<object, number>();
let latestId = 0;

export function idOf(source: object): number {
  const known = ids.get(source);
  if (known !== undefined) return known;
  ids.set(source, ++latestId);
  return latestId;
}

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

/** The limiters that the page shows, to operate on them. */
export function limitersOf(source: LimitSource): readonly Limiter[] {
  if ('limiters' in source) return Object.values(source.limiters);
  return 'limits' in source ? source.limits.map(({ limiter }) => limiter) : [source];
}

/** What the page shows of a source, to operate on it: its limiters, or its guard if it has no limits. */
export function operablesOf(source: LimitSource): readonly (Limiter | GateGuard)[] {
  return [soleGuardOf(source) ?? [], limitersOf(source)].flat();
}

/** With limits, shadow mode in the row of the gate could be mistaken for that of its limits. */
function soleGuardOf(source: LimitSource): GateGuard | undefined {
  return limitersOf(source).length === 0 ? (source as Gate).guard : undefined;
}

function limiterOf(source: LimitSource, name: string): Limiter {
  return limitersOf(source).find((limiter) => limiter.name === name) as Limiter;
}

function gateView(source: LimitSource, { limits, ...stats }: GateStats): LimitView {
  const guard = soleGuardOf(source);
  return {
    ...countsOf(stats),
    id: idOf(guard ?? source),
    limitName: undefined,
    gate: undefined,
    limit: undefined,
    keys: undefined,
    adaptive: false,
    frozen: false,
    baseline: undefined,
    state: source.closed ? 'closed' : 'open',
    mode: guard?.mode ?? 'enforce',
    priorities: undefined,
    shares: undefined,
    guard: guardView(stats.guard),
    operations: guard?.operations ?? [],
    store: undefined,
  };
}

function limitView(
  limiter: Limiter,
  stats: LimiterStats & Pick<GateStats, 'guard'>,
  gate: string | undefined,
): LimitView {
  const { distributed } = stats;
  // A keyed limit that cannot be set has no common value: each request sets that of its key.
  const hasCommonLimit = !limiter.perKey || limiter.operations.includes('setLimit');
  return {
    ...countsOf(stats),
    id: idOf(limiter),
    limitName: limiter.name,
    gate,
    limit: hasCommonLimit ? numberOf(stats.limit) : undefined,
    inflight: distributed?.inflight ?? stats.inflight,
    queued: distributed?.queued ?? stats.queued,
    keys: limiter.perKey ? stats.keys : undefined,
    adaptive: limiter.isAdaptive,
    frozen: limiter.frozen,
    baseline: numberOf(stats.baseline),
    state: limiter.state,
    mode: limiter.mode,
    priorities: stats.priorities,
    shares: stats.shares,
    guard: guardView(stats.guard),
    operations: limiter.operations,
    store: distributed && storeView(stats),
  };
}

function countsOf(stats: Omit<LimiterStats, 'limit' | 'keys'>) {
  const { name, inflight, queued, admitted, rejected, withdrawn, leaked } = stats;
  const longestWait = Math.round(stats.longestWait);
  const counts: unknown[] = [inflight, queued, admitted, withdrawn, leaked];
  for (const count of [...counts, ...Object.values(rejected)]) {
    if (!Number.isFinite(count)) throw invalid('stats()', 'a method that returns counts', count);
  }
  return { name, inflight, queued, longestWait, admitted, rejected, withdrawn, leaked };
}

/** An application's own guard may report more, which the page does not need and JSON may not be able to contain. */
function guardView(guard: GateStats['guard']): GateStats['guard'] {
  if (guard === undefined) return undefined;
  const { name, delay, shedding } = guard;
  return { name, delay: numberOf(delay), shedding: numberOf(shedding) };
}

/** JSON makes null of a number that is not finite, which the page could not format. */
function numberOf(value: unknown): number | undefined {
  return Number.isFinite(value) ? (value as number) : undefined;
}

function storeView({ distributed, inflight, queued }: LimiterStats): StoreView | undefined {
  if (distributed === undefined) return undefined;
  const { up, declared, reclaimed, lost, roundTrip } = distributed;
  const own = { declared, here: inflight, queuedHere: queued };
  return { up, ...own, reclaimed, lost, roundTrip, processes: undefined };
}
