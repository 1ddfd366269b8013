import { invalid } from '../errors.ts';
import type { LimiterStats, Stats } from '../limiter/stats.ts';
import { attributeNames, type Metric, metrics } from './definitions.ts';

/** The attributes of a series, by name: its labels. */
export type Attributes = Readonly<Record<string, string>>;

/** Receives the values of one collection. A series has the same attributes object in each collection. */
export type Receive = (metric: Metric, value: number, attributes: Attributes) => void;

/**
 * Application code may return anything, and a single value that is not a number would make a whole scrape unreadable.
 *
 * @throws HeadgateError for such a value.
 */
export function numbersOnly(receive: Receive): Receive {
  return (metric, value, attributes) => {
    if (typeof value !== 'number') throw invalid(metric.name, 'a number', value);
    receive(metric, value, attributes);
  };
}

/** The attributes of one limit's series. Created once, since a collection of many limits would create thousands. */
export class LimitAttributes {
  readonly all: Attributes;
  readonly #byOutcome = new Map<string, Attributes>();
  readonly #others = new Map<string, Attributes>();

  constructor(name: string) {
    this.all = { [attributeNames.limit]: name };
  }

  with(outcome: string): Attributes {
    let attributes = this.#byOutcome.get(outcome);
    if (attributes === undefined) {
      attributes = { ...this.all, [attributeNames.outcome]: outcome };
      this.#byOutcome.set(outcome, attributes);
    }
    return attributes;
  }

  /** Adds further attributes, each with few possible values. */
  and(others: Attributes): Attributes {
    const id = Object.entries(others).join();
    let attributes = this.#others.get(id);
    if (attributes === undefined) {
      attributes = { ...this.all, ...others };
      this.#others.set(id, attributes);
    }
    return attributes;
  }
}

/** The requests of a limiter, gate or middleware. Counters are totals. */
export function requestMeasurements(
  stats: Stats,
  attributes: LimitAttributes,
  receive: Receive,
): void {
  const { all } = attributes;
  receive(metrics.requests, stats.admitted, attributes.with('admitted'));
  for (const [reason, total] of Object.entries(stats.rejected)) {
    receive(metrics.requests, total, attributes.with(reason));
  }
  for (const [reason, total] of Object.entries(stats.wouldReject)) {
    receive(metrics.wouldReject, total, attributes.with(reason));
  }
  receive(metrics.requests, stats.withdrawn, attributes.with('withdrawn'));
  receive(metrics.active, stats.holders, all);
  receive(metrics.abandoned, stats.abandoned, all);
  receive(metrics.queued, stats.queued, all);
  receive(metrics.longestWait, stats.longestWait / 1000, all);
  receive(metrics.leaked, stats.leaked, all);
  const { delay, shedding } = stats.guard ?? {};
  if (delay !== undefined) receive(metrics.guardDelay, delay / 1000, all);
  if (shedding !== undefined) receive(metrics.guardShedding, shedding, all);
}

/** The state of one limit. */
export function limitMeasurements(
  stats: LimiterStats,
  attributes: LimitAttributes,
  receive: Receive,
): void {
  const { limit, rejected, inflight, inflightPeak, baseline, distributed } = stats;
  const { learnedTimeout } = stats;
  const { all } = attributes;
  receive(metrics.limit, limit, all);
  for (const [reason, total] of Object.entries(rejected)) {
    receive(metrics.limitRejections, total, attributes.with(reason));
  }
  receive(metrics.inflight, inflight, all);
  receive(metrics.inflightPeak, inflightPeak, all);
  histogramMeasurements(stats, attributes, receive);
  shadowMeasurements(stats, attributes, receive);
  if (learnedTimeout !== undefined) receive(metrics.learnedTimeout, learnedTimeout / 1000, all);
  if (baseline !== undefined) receive(metrics.baseline, baseline / 1000, all);
  if (distributed === undefined) return;
  const { up, roundTrip, lost, reclaimed } = distributed;
  receive(metrics.storeUp, up ? 1 : 0, all);
  if (roundTrip !== undefined) receive(metrics.roundTrip, roundTrip / 1000, all);
  receive(metrics.lost, lost, all);
  receive(metrics.reclaimed, reclaimed, all);
}

/** Each bucket includes the counts of the lower ones, as in Prometheus. */
function histogramMeasurements(
  { inflightHistogram }: LimiterStats,
  attributes: LimitAttributes,
  receive: Receive,
): void {
  const bounded = (bound: string) => attributes.and({ [attributeNames.bound]: bound });
  let total = 0;
  for (const [index, count] of inflightHistogram.entries()) {
    total += count;
    receive(metrics.inflightAtAdmission, total, bounded(`${2 ** index}`));
  }
  receive(metrics.inflightAtAdmission, total, bounded('+Inf'));
}

/** What other limits would have done, in shadow mode. */
function shadowMeasurements(
  { suggestion }: LimiterStats,
  attributes: LimitAttributes,
  receive: Receive,
): void {
  for (const { limit, rejectedShare, waitP50, waitP99, inflightPeak } of suggestion?.limits ?? []) {
    const of = { [attributeNames.otherLimit]: `${limit}` };
    const at = (quantile: string) => attributes.and({ ...of, [attributeNames.quantile]: quantile });
    receive(metrics.shadowRejected, rejectedShare, attributes.and(of));
    receive(metrics.shadowWait, waitP50 / 1000, at('0.5'));
    receive(metrics.shadowWait, waitP99 / 1000, at('0.99'));
    receive(metrics.shadowPeak, inflightPeak, attributes.and(of));
  }
}
