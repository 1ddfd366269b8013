import type { Limiter, LimiterStats } from '../limiter/limiter.ts';
import { attributeNames, type Metric, metrics } from './definitions.ts';
import type { Measured } from './measurable.ts';

export type Attributes = Readonly<Record<string, string>>;

/** Receives the values of one collection. */
export type Receive = (metric: Metric, value: number, attributes: Attributes) => void;

export function attributesOf(limit: string, outcome?: string): Attributes {
  const attributes = { [attributeNames.limit]: limit };
  return outcome === undefined ? attributes : { ...attributes, [attributeNames.outcome]: outcome };
}

/** The state of a limiter, gate or middleware from its statistics. Counters are totals. */
export function measurements({ stats, active }: Omit<Measured, 'limits'>, receive: Receive): void {
  const { name, admitted, rejected, withdrawn } = stats;
  for (const [outcome, total] of Object.entries({ admitted, ...rejected, withdrawn })) {
    receive(metrics.requests, total, attributesOf(name, outcome));
  }
  const attributes = attributesOf(name);
  receive(metrics.active, active, attributes);
  receive(metrics.queued, stats.queued, attributes);
  receive(metrics.longestWait, stats.longestWait / 1000, attributes);
  receive(metrics.leaked, stats.leaked, attributes);
  const { delay, shedding } = ('guard' in stats && stats.guard) || {};
  if (delay !== undefined) receive(metrics.guardDelay, delay / 1000, attributes);
  if (shedding !== undefined) receive(metrics.guardShedding, shedding, attributes);
}

/** The state of one limit, once for all gates that reuse it. */
function limitMeasurements(
  { name, limit, inflight, baseline, distributed }: LimiterStats,
  receive: Receive,
): void {
  const attributes = attributesOf(name);
  receive(metrics.limit, limit, attributes);
  receive(metrics.inflight, inflight, attributes);
  if (baseline !== undefined) receive(metrics.baseline, baseline / 1000, attributes);
  if (distributed === undefined) return;
  const { up, roundTrip, lost, reclaimed } = distributed;
  receive(metrics.storeUp, up ? 1 : 0, attributes);
  if (roundTrip !== undefined) receive(metrics.roundTrip, roundTrip / 1000, attributes);
  receive(metrics.lost, lost, attributes);
  receive(metrics.reclaimed, reclaimed, attributes);
}

/** Receives the limits of one collection, each of them once. */
export function receiveLimits({ limits }: Measured, seen: Set<Limiter>, receive: Receive): void {
  for (const { limiter, stats } of limits) {
    if (seen.has(limiter)) continue;
    seen.add(limiter);
    limitMeasurements(stats, receive);
  }
}
