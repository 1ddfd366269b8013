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
import { commonLimitOf, delayOf, type Figures, finite } from './figures.ts';
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
  /** Whether no algorithm changes the limit now. */
  readonly fixed: boolean;
  /** Milliseconds that work takes without load, as far as an adaptive limit knows it. */
  readonly baseline: number | undefined;
  /** Why an adaptive limit last changed. */
  readonly limitReason: string | undefined;
  readonly state: LimiterState;
  readonly mode: Limiter['mode'];
  /** Milliseconds until a pause with an end ends; undefined if there is none. */
  readonly pausedFor: number | undefined;
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
export function gateView(source: Handle, stats: Stats, sample: Figures): LimitView {
  const guard = soleGuardOf(source);
  return {
    ...countsOf(stats),
    id: idOf(guard ?? source),
    limitName: undefined,
    gate: undefined,
    limit: undefined,
    inflight: stats.holders,
    peak: undefined,
    inflightHistogram: undefined,
    keys: undefined,
    adaptive: false,
    fixed: true,
    baseline: undefined,
    limitReason: undefined,
    state: source.closed ? 'closed' : 'open',
    mode: guard?.mode ?? 'enforce',
    pausedFor: undefined,
    priorities: undefined,
    shares: undefined,
    guard: guardView(stats.guard),
    isGuard: delayOf(guard, stats) !== undefined,
    operations: guard?.operations ?? [],
    store: undefined,
    sample,
  };
}

/** A limit, and how many processes use it, if that is known. */
export function limitView(
  limiter: Limiter,
  stats: LimiterStats,
  gate: string | undefined,
  sample: Figures,
  processes: number | undefined,
): LimitView {
  const [inflight, queued] = sample;
  return {
    ...countsOf(stats),
    id: idOf(limiter),
    limitName: limiter.name,
    gate,
    limit: commonLimitOf(limiter, stats),
    inflight,
    queued,
    peak: finite(stats.inflightPeak),
    inflightHistogram: numbersOf(stats.inflightHistogram),
    keys: limiter.perKey ? stats.keys : undefined,
    adaptive: limiter.isAdaptive,
    fixed: limiter.isFixed,
    baseline: finite(stats.baseline),
    limitReason: stats.limitReason,
    state: limiter.state,
    mode: limiter.mode,
    pausedFor: finite(stats.pausedFor),
    priorities: stats.priorities,
    shares: stats.shares,
    guard: guardView(stats.guard),
    isGuard: false,
    operations: limiter.operations,
    store: storeView(stats, processes),
    sample,
  };
}

function countsOf(stats: Stats) {
  const { name, queued, admitted, withdrawn, leaked } = stats;
  const { rejected, wouldReject, shadow, suggestion } = stats;
  const longestWait = Math.round(stats.longestWait);
  const rejections = { rejected, wouldReject, shadow, suggestion };
  return { name, queued, longestWait, admitted, ...rejections, withdrawn, leaked };
}

/** An application's own guard may report more, which the page does not need and JSON may not be able to contain. */
function guardView(guard: Stats['guard']): Stats['guard'] {
  if (!guard) return undefined;
  const { name, delay, shedding } = guard;
  return { name, delay: finite(delay), shedding: finite(shedding) };
}

function numbersOf(values: unknown): readonly number[] | undefined {
  return Array.isArray(values) && values.every(Number.isFinite) ? values : undefined;
}

function storeView(
  { distributed, inflight, queued }: LimiterStats,
  processes: number | undefined,
): StoreView | undefined {
  if (!distributed) return undefined;
  const { up, declared, reclaimed, lost, roundTrip } = distributed;
  const own = { declared, here: inflight, queuedHere: queued };
  return { up, ...own, reclaimed, lost, roundTrip, processes };
}
