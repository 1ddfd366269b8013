import { randomFrom } from '../random.ts';
import { isInTime, p99Of } from './figures.ts';
import { type Job, jobsOf, type Outcome, type Workload } from './workload.ts';

/** Phases of load, one after the other: multiples of the capacity, each for some seconds. */
export interface Phase {
  readonly load: number;
  readonly seconds: number;
}

/** The load of critical requests, as a fraction of the capacity. */
const CRITICAL_LOAD = 0.45;

/** The requests of all phases. Critical ones need less than half of the capacity. */
export function jobsOfPhases(workload: Workload, phases: readonly Phase[]): Job[] {
  const random = randomFrom(workload.seed);
  const total = phases.reduce((sum, { load, seconds }) => sum + load * seconds, 0);
  const jobs = jobsOf({ ...workload, load: 1, seconds: total });
  let [begin, from] = [0, 0];
  return phases.flatMap(({ load, seconds }) => {
    // The requests of a phase were computed for load 1, so their times are scaled to this load.
    const to = from + 1000 * load * seconds;
    const own = jobs.filter(({ at }) => at >= from && at < to);
    const shifted = own.map(({ at, work }): Job => {
      const isCritical = random() < CRITICAL_LOAD / load;
      return { at: begin + (at - from) / load, work, priority: isCritical ? 'critical' : 'normal' };
    });
    from = to;
    begin += 1000 * seconds;
    return shifted;
  });
}

/** The percentage of critical requests that are answered in time. */
export function criticalInTime(outcomes: readonly Outcome[]): number {
  const critical = outcomes.filter(({ priority }) => priority === 'critical');
  return (100 * critical.filter(isInTime).length) / critical.length;
}

const WINDOW_MS = 1000;
const STEP_MS = 100;

/**
 * Milliseconds from the end of a spike until the server has recovered: for a second, 95 % of the requests are answered
 * in time, and the 99th percentile is at most twice that before the spike. `Infinity` if it does not recover.
 */
export function recoveryTime(
  outcomes: readonly Outcome[],
  spike: { readonly from: number; readonly to: number },
  end: number,
): number {
  const within = (from: number, to: number) => outcomes.filter(({ at }) => at >= from && at < to);
  const before = within(spike.from / 2, spike.from).filter(isInTime);
  const usual = p99Of(before.map(({ took }) => took));
  for (let from = spike.to; from + WINDOW_MS <= end; from += STEP_MS) {
    const seen = within(from, from + WINDOW_MS);
    const times = seen.filter(isInTime).map(({ took }) => took);
    if (times.length >= 0.95 * seen.length && p99Of(times) <= 2 * usual) return from - spike.to;
  }
  return Infinity;
}
