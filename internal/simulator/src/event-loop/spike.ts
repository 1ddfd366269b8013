import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { type Job, jobsOf, type Outcome, PATIENCE_MS, type Workload } from './workload.ts';

/** Loads one after another: multiples of the capacity, for some seconds each. */
export interface Phase {
  readonly load: number;
  readonly seconds: number;
}

/** What part of the capacity critical requests ask for. */
const CRITICAL_LOAD = 0.45;

/** The requests of all phases, of which critical ones need less than half of the capacity. */
export function jobsOfPhases(workload: Workload, phases: readonly Phase[]): Job[] {
  const generator = xoroshiro128plus(workload.seed);
  const total = phases.reduce((sum, { load, seconds }) => sum + load * seconds, 0);
  const jobs = jobsOf({ ...workload, load: 1, seconds: total });
  let [begin, from, start] = [0, 0, 0];
  return phases.flatMap(({ load, seconds }) => {
    // At this load, requests arrive in less time, or in more.
    const to = from + 1000 * load * seconds;
    const own = jobs.slice(start).filter(({ at }) => at < to);
    const shifted = own.map(({ at, work }): Job => {
      const isCritical = uniformFloat64(generator) < CRITICAL_LOAD / load;
      return { at: begin + (at - from) / load, work, priority: isCritical ? 'critical' : 'normal' };
    });
    start += own.length;
    from = to;
    begin += 1000 * seconds;
    return shifted;
  });
}

const isInTime = ({ answered, took }: Outcome) => answered && took < PATIENCE_MS;

/** The percentage of the critical requests that is answered in time. */
export function criticalInTime(outcomes: readonly Outcome[]): number {
  const critical = outcomes.filter(({ priority }) => priority === 'critical');
  return (100 * critical.filter(isInTime).length) / critical.length;
}

/** The 99th percentile of the times of the requests answered in time, in milliseconds. */
function p99Of(outcomes: readonly Outcome[]): number {
  const times = outcomes.filter(isInTime).map(({ took }) => took);
  times.sort((one, other) => one - other);
  return times[Math.floor(0.99 * times.length)] ?? Number.NaN;
}

const WINDOW_MS = 1000;
const STEP_MS = 100;

/**
 * Milliseconds from the end of a spike until, for a second, 95 % are answered in time and the 99th percentile is at
 * most twice that before the spike; `Infinity` if that does not happen.
 */
export function recoveryTime(
  outcomes: readonly Outcome[],
  spike: { readonly from: number; readonly to: number },
  end: number,
): number {
  const within = (from: number, to: number) => outcomes.filter(({ at }) => at >= from && at < to);
  const usual = p99Of(within(spike.from / 2, spike.from));
  for (let from = spike.to; from + WINDOW_MS <= end; from += STEP_MS) {
    const seen = within(from, from + WINDOW_MS);
    const inTime = seen.filter(isInTime).length;
    if (inTime >= 0.95 * seen.length && p99Of(seen) <= 2 * usual) return from - spike.to;
  }
  return Infinity;
}
