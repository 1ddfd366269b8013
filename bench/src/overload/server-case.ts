import { quantile } from 'headgate/load';
import { arrivals } from './arrivals.ts';
import { answeredPart, type Figures, figuresOf, recoveryTime } from './figures.ts';
import { type Attempt, closedLoop, openLoop } from './load.ts';
import * as plans from './plan.ts';
import type { Assignment, LimitSample, ProcessReport } from './protocol.ts';
import { ServerProcess } from './server-process.ts';

/** The results of a server with one kind of handler. */
export interface ServerCase {
  /** By multiple of the capacity. */
  loads: Map<number, Figures>;
  /** Milliseconds. */
  unloaded: { p50: number; p99: number };
  recovery: number;
  /** The fractions answered in time when critical requests are mixed with others. */
  critical: number;
  others: number;
  /** Bytes. */
  maxRss: number;
  /** The limit in each phase, sampled every tenth of a second. */
  limits: Map<string, number[]>;
  /** The lateness of the generator in milliseconds: p50 and p99. */
  lateness: { p50: number; p99: number };
  /**
   * The fraction of time for which the server's main thread waited for a core. If it is large, the figures are invalid.
   */
  starved: number;
}

const seed = 7;

/** The number of clients that saturates a bare server with any kind of handler. */
export const saturating = 20;

/** Measures one server from start to stop. The offered rates are multiples of `capacity`. */
export async function runServerCase(
  assignment: Assignment,
  capacity: number,
  plan: plans.OverloadPlan,
): Promise<ServerCase> {
  const server = await ServerProcess.start(assignment);
  try {
    const route = { port: server.port, ownConnections: plan.ownConnections };
    const { times: alone } = await closedLoop(route, 1, plan.unloaded);
    const phases = plans.phases(plan, capacity);
    const schedule = arrivals(phases, seed);
    const { starved } = await server.report();
    const start = Date.now();
    const attempts = await openLoop(route, schedule);
    const report = await server.report();
    report.starved -= starved;
    return summary(attempts, alone, report, { phases, plan, start });
  } finally {
    server.stop();
  }
}

interface Setting {
  phases: ReturnType<typeof plans.phases>;
  plan: plans.OverloadPlan;
  /** The start time in milliseconds of the system clock. */
  start: number;
}

function summary(
  attempts: Attempt[],
  alone: readonly number[],
  report: ProcessReport,
  setting: Setting,
): ServerCase {
  const { phases, plan, start } = setting;
  const beginning = (name: string) => plans.beginningOf(name, phases);
  const during = (name: string) => attempts.filter(({ phase }) => phase === name);
  const counted = (name: string) =>
    during(name).filter(({ at }) => at >= beginning(name) + plan.uncounted * 1_000);
  const loads = new Map(
    plan.multiples.map((multiple) => {
      const name = plans.phaseName(multiple);
      return [multiple, figuresOf(counted(name), plan.phase - plan.uncounted)];
    }),
  );
  const mixed = counted(plans.mixedName);
  const late = attempts.map((attempt) => attempt.late);
  const end = beginning(plans.recoveryName);
  return {
    loads,
    unloaded: { p50: quantile(alone, 0.5), p99: quantile(alone, 0.99) },
    recovery: recoveryTime(
      during(plans.recoveryName),
      end,
      loads.get(plans.normal)?.p99 ?? Number.NaN,
    ),
    critical: answeredPart(mixed.filter(({ critical }) => critical)),
    others: answeredPart(mixed.filter(({ critical }) => !critical)),
    maxRss: report.maxRss,
    limits: byPhase(report.limitSamples, setting),
    lateness: { p50: quantile(late, 0.5), p99: quantile(late, 0.99) },
    starved: report.starved / (Date.now() - start),
  };
}

function byPhase(
  limitSamples: readonly LimitSample[],
  { phases, start }: Setting,
): Map<string, number[]> {
  return new Map(
    phases.map(({ name, duration }) => {
      const from = start + plans.beginningOf(name, phases);
      const during = ({ time }: LimitSample) => time >= from && time < from + duration * 1_000;
      return [name, limitSamples.filter(during).map(({ limit }) => limit)];
    }),
  );
}
