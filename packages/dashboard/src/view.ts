import type {
  Handle,
  Limiter,
  LimiterState,
  LimiterStats,
  Operation,
  Priority,
  RejectionReason,
  ShadowStats,
  ShareStats,
  Stats,
  Suggestion,
} from '@headgate/core';
import { invalid } from '@headgate/core/options';
import { idOf, soleGuardOf } from './sources.ts';

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
  /** Highest weight in flight since the start, with keys that of one key; undefined for a gate. */
  readonly peak: number | undefined;
  /** Requests admitted at 1 in flight, 2, 3 to 4, 5 to 8 and so on, as far as the statistics have it; undefined for a gate. */
  readonly inflightHistogram: readonly number[] | undefined;
  readonly queued: number;
  /** In milliseconds. */
  readonly longestWait: number;
  /** Keys in use; undefined if the limit is not keyed. */
  readonly keys: number | undefined;
  readonly admitted: number;
  readonly rejected: Readonly<Record<RejectionReason, number>>;
  /** Requests that shadow mode has admitted. */
  readonly wouldReject: Readonly<Record<RejectionReason, number>>;
  /** What the limit would have done since shadow mode began, if that can be simulated. */
  readonly shadow: ShadowStats | undefined;
  readonly suggestion: Suggestion | undefined;
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
  readonly guard: Stats['guard'];
  /** Whether the row is that of a guard which measures a delay, without limits. The chart shows the delay then. */
  readonly isGuard: boolean;
  /** What an operator can do. */
  readonly operations: readonly Operation[];
  readonly store: StoreView | undefined;
  readonly sample: Figures;
}

/**
 * What the chart shows: in use (a guard's delay, in milliseconds); queued; limit (0 for a gate); rejected, and what shadow
 * mode has admitted instead, since the start.
 */
export type Figures = readonly [
  used: number,
  queued: number,
  limit: number,
  rejected: number,
  wouldReject: number,
];

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

/** A gate of several limits, or of none. */
export function gateView(source: Handle, stats: Stats): LimitView {
  const guard = soleGuardOf(source);
  const mode = guard?.mode ?? 'enforce';
  const view = guardView(stats.guard);
  const isGuard = guard !== undefined && view?.delay !== undefined;
  const counts = countsOf(stats, stats.holders);
  return {
    ...counts,
    id: idOf(guard ?? source),
    limitName: undefined,
    gate: undefined,
    limit: undefined,
    peak: undefined,
    inflightHistogram: undefined,
    keys: undefined,
    adaptive: false,
    frozen: false,
    baseline: undefined,
    state: source.closed ? 'closed' : 'open',
    mode,
    priorities: undefined,
    shares: undefined,
    guard: view,
    isGuard,
    operations: guard?.operations ?? [],
    store: undefined,
    sample: figuresOf(isGuard ? { ...counts, inflight: view.delay, queued: 0 } : counts),
  };
}

/** A limit, with what its gate counts if it is the only one of that. */
export function limitView(
  limiter: Limiter,
  stats: LimiterStats,
  gate: string | undefined,
): LimitView {
  const { distributed } = stats;
  const counts = {
    ...countsOf(stats, distributed?.inflight ?? stats.inflight),
    queued: distributed?.queued ?? stats.queued,
  };
  // A keyed limit that cannot be set has no common value: each request sets that of its key.
  const hasCommonLimit = !limiter.perKey || limiter.operations.includes('setLimit');
  const limit = hasCommonLimit ? numberOf(stats.limit) : undefined;
  return {
    ...counts,
    id: idOf(limiter),
    limitName: limiter.name,
    gate,
    limit,
    peak: numberOf(stats.inflightPeak),
    inflightHistogram: numbersOf(stats.inflightHistogram),
    keys: limiter.perKey ? stats.keys : undefined,
    adaptive: limiter.isAdaptive,
    frozen: limiter.frozen,
    baseline: numberOf(stats.baseline),
    state: limiter.state,
    mode: limiter.mode,
    priorities: stats.priorities,
    shares: stats.shares,
    guard: guardView(stats.guard),
    isGuard: false,
    operations: limiter.operations,
    store: distributed && storeView(stats),
    sample: figuresOf({ ...counts, limit }),
  };
}

function countsOf(stats: Stats, inflight: number) {
  const { name, queued, admitted, withdrawn, leaked } = stats;
  const { rejected, wouldReject, shadow, suggestion } = stats;
  const longestWait = Math.round(stats.longestWait);
  const counts: unknown[] = [inflight, queued, admitted, withdrawn, leaked];
  for (const count of [...counts, ...Object.values(rejected), ...Object.values(wouldReject)]) {
    if (!Number.isFinite(count)) throw invalid('stats()', 'a method that returns counts', count);
  }
  const rejections = { rejected, wouldReject, shadow, suggestion };
  return { name, inflight, queued, longestWait, admitted, ...rejections, withdrawn, leaked };
}

function figuresOf(
  view: Pick<LimitView, 'inflight' | 'queued' | 'rejected' | 'wouldReject'> & {
    limit?: number | undefined;
  },
): Figures {
  const { inflight, queued, limit = 0, rejected, wouldReject } = view;
  return [inflight, queued, limit, sumOf(rejected), sumOf(wouldReject)];
}

function sumOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/** An application's own guard may report more, which the page does not need and JSON may not be able to contain. */
function guardView(guard: Stats['guard']): Stats['guard'] {
  if (guard === undefined) return undefined;
  const { name, delay, shedding } = guard;
  return { name, delay: numberOf(delay), shedding: numberOf(shedding) };
}

/** JSON makes null of a number that is not finite, which the page could not format. */
function numberOf(value: unknown): number | undefined {
  return Number.isFinite(value) ? (value as number) : undefined;
}

function numbersOf(values: unknown): readonly number[] | undefined {
  return Array.isArray(values) && values.every(Number.isFinite) ? values : undefined;
}

function storeView({ distributed, inflight, queued }: LimiterStats): StoreView | undefined {
  if (distributed === undefined) return undefined;
  const { up, declared, reclaimed, lost, roundTrip } = distributed;
  const own = { declared, here: inflight, queuedHere: queued };
  return { up, ...own, reclaimed, lost, roundTrip, processes: undefined };
}
