import { percentile } from '../stats.ts';
import { arrivals } from './arrivals.ts';
import type { Attempt } from './client.ts';
import { answeredPart, type Figures, figuresOf, recoveryTime } from './figures.ts';
import type { Kind, Work } from './kinds.ts';
import { closedLoop, openLoop } from './load.ts';
import * as plans from './plan.ts';
import type { ProcessReport, Stand } from './protocol.ts';
import { ServerProcess } from './server-process.ts';

/** What a server did with a kind of handler. */
export interface Case {
  /** By multiple of the capacity. */
  loads: Map<number, Figures>;
  /** Milliseconds. */
  unloaded: { p50: number; p99: number };
  recovery: number;
  /** Which part was answered in time where critical requests are mixed with others. */
  critical: number;
  others: number;
  /** Bytes. */
  maxRss: number;
  /** Where the limit stood in each phase: every tenth of a second. */
  limits: Map<string, number[]>;
  /** By how many milliseconds the generator was late: p50 and p99. */
  lateness: { p50: number; p99: number };
  /** Which part of the time the server's main thread had to wait for a core: its figures are worth nothing if much. */
  starved: number;
}

const seed = 7;

/** Clients that keep a bare server busy whatever its handler waits for. */
export const saturating = 20;

/** One server from its start to its end. `capacity` is what the rates offered are multiples of. */
export async function runCase(
  assignment: { kind: Kind; server: string; work: Work },
  capacity: number,
  plan: plans.Plan,
): Promise<Case> {
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
  plan: plans.Plan;
  /** Milliseconds of the system's clock. */
  start: number;
}

function summary(
  attempts: Attempt[],
  alone: number[],
  report: ProcessReport,
  setting: Setting,
): Case {
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
  const late = attempts.map(({ lateness }) => lateness);
  const end = beginning(plans.recoveryName);
  return {
    loads,
    unloaded: { p50: percentile(alone, 0.5), p99: percentile(alone, 0.99) },
    recovery: recoveryTime(
      during(plans.recoveryName),
      end,
      loads.get(plans.normal)?.p99 ?? Number.NaN,
    ),
    critical: answeredPart(mixed.filter(({ critical }) => critical)),
    others: answeredPart(mixed.filter(({ critical }) => !critical)),
    maxRss: report.maxRss,
    limits: byPhase(report.stands, setting),
    lateness: { p50: percentile(late, 0.5), p99: percentile(late, 0.99) },
    starved: report.starved / (Date.now() - start),
  };
}

function byPhase(stands: readonly Stand[], { phases, start }: Setting): Map<string, number[]> {
  return new Map(
    phases.map(({ name, duration }) => {
      const from = start + plans.beginningOf(name, phases);
      const during = ({ time }: Stand) => time >= from && time < from + duration * 1_000;
      return [name, stands.filter(during).map(({ limit }) => limit)];
    }),
  );
}
