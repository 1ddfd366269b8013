import type { Settings } from '../settings.ts';
import { type Call, SECONDS } from './calls.ts';
import type { Recorder } from './recorder.ts';

/** The result of a run. Times are in milliseconds, parts are from 0 to 1; NaN: there was nothing to measure. */
export interface Figures {
  /** Calls answered in time, for each second. */
  readonly perSecond: readonly number[];
  /** Calls answered in time, per second. */
  readonly answered: number;
  /** Percentiles of the time until an answer, including the answers that came too late. */
  readonly p50: number;
  readonly p99: number;
  /** The part of the requests that was rejected, and the median time until the rejection. */
  readonly rejected: number;
  readonly rejectedAfter: number;
  /** The part of the requests whose client gave up. */
  readonly timedOut: number;
  /** The part of the critical calls that was answered in time. */
  readonly critical: number;
  /** The same for the calls of small tenants. */
  readonly smallTenants: number;
}

function percentile(sorted: Float64Array, part: number): number {
  return sorted[Math.floor(part * sorted.length)] ?? Number.NaN;
}

/** A typed array, since it is sorted several times as fast. */
const inOrder = (values: readonly number[]) => Float64Array.from(values).sort();

export function figuresOf(
  { timeout }: Settings,
  calls: readonly Call[],
  recorder: Recorder,
): Figures {
  const { perSecond, inTime, requests, timeouts } = recorder;
  // Clients of later calls may still wait for the answer at the end.
  const decided = calls.filter(({ at }) => at < 1000 * SECONDS - timeout);
  const partInTime = (group: readonly Call[]) =>
    group.filter((call) => inTime.has(call)).length / group.length;
  const latencies = inOrder(recorder.latencies);
  const rejections = inOrder(recorder.rejections);
  return {
    perSecond,
    answered: inTime.size / SECONDS,
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
    rejected: rejections.length / requests,
    rejectedAfter: percentile(rejections, 0.5),
    timedOut: timeouts / requests,
    critical: partInTime(decided.filter(({ isCritical }) => isCritical)),
    smallTenants: partInTime(decided.filter(({ tenant }) => tenant > 0)),
  };
}
