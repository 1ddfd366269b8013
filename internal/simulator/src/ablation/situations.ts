import { constant, lognormal } from '../distributions.ts';
import { figuresOf, isInTime } from '../event-loop/figures.ts';
import { workload } from '../event-loop/named-workload.ts';
import { simulate } from '../event-loop/simulate.ts';
import { jobsOfPhases } from '../event-loop/spike.ts';
import {
  capacityOf,
  type HandlerKind,
  type Job,
  jobsOf,
  type OtherWork,
  type Workload,
} from '../event-loop/workload.ts';
import type { Situation } from './situation.ts';

const common = { workers: 10, load: 1, connects: false, seconds: 30, seed: 1 };

/** A pool whose work always takes the same time. */
const poolOf = (mean: number) =>
  ({ ...common, kind: 'pool', mean, serviceTime: constant(mean) }) as const;

/** The fraction of the requests from a certain time on that are answered in time. */
export function inTime(
  server: Workload,
  from = 0,
  jobs: readonly Job[] = jobsOf(server),
  limiterOf?: Parameters<typeof simulate>[2],
): number {
  const outcomes = simulate(server, jobs, limiterOf).filter(({ at }) => at >= from);
  return outcomes.filter(isInTime).length / outcomes.length;
}

/** A server that does other work as well. */
export function serverWith(
  otherWork: OtherWork,
  kind: HandlerKind,
  mean: number,
  perSecond: number,
): Workload {
  const server = { ...common, kind, mean, serviceTime: lognormal(mean, 0.5), workers: 1000 };
  return { ...server, otherWork, load: perSecond / capacityOf(server) };
}

/** A server that does other work from the eighth second on. */
function besideOtherWork(kind: HandlerKind, mean: number, perSecond: number, busy: number) {
  return inTime(serverWith({ from: 8000, busy, idle: 0 }, kind, mean, perSecond), 8000);
}

/** A step from 30 to 150 requests per second next to a batch job of 5 ms at a time. */
function stepBesideOtherWork(): number {
  const beside = { ...poolOf(50), workers: 1000, otherWork: { from: 0, busy: 5, idle: 0 } };
  const few = jobsOf({ ...beside, load: 30 / capacityOf(beside) });
  const many = jobsOf({ ...beside, load: 150 / capacityOf(beside) });
  const jobs = [...few.filter(({ at }) => at < 15_000), ...many.filter(({ at }) => at >= 15_000)];
  return inTime(beside, 15_000, jobs);
}

/** A server that does only other work for five seconds before requests begin. */
function afterOtherWork(): number {
  const ample = { ...poolOf(50), workers: 1000, load: 0.005, seconds: 12 };
  const jobs = jobsOf(ample).filter(({ at }) => at < 500 || at > 8000);
  return inTime({ ...ample, otherWork: { from: 1000, busy: 5000, idle: 1e9 } }, 8000, jobs);
}

/**
 * How many requests are answered in time if all of them arrive together and do not need the event loop. They arrive
 * after a minute of light load or, if `isCold`, at a process that has just started.
 */
export function answeredOfBurst(isCold: boolean, size: number, work: number, workers: number) {
  const earlier = isCold ? 0 : 600;
  const begin = earlier * 100 + 500;
  const jobs = Array.from({ length: earlier }, (_, index): Job => ({ at: index * 100, work }));
  jobs.push(...Array.from({ length: size }, (_, index) => ({ at: begin + index * 0.01, work })));
  const outcomes = simulate({ ...poolOf(work), workers, isCold }, jobs);
  return outcomes.filter((outcome) => outcome.at >= begin && isInTime(outcome)).length;
}

/** A hundred requests at once, between ten a second that take as long and do not end. */
function burstAmongOthers(size: number, work: number, workers: number): number {
  const others = Array.from({ length: 700 }, (_, index): Job => ({ at: index * 100, work }));
  const burst = Array.from({ length: size }, (_, index) => ({ at: 60_050 + index * 0.01, work }));
  const jobs = [...others, ...burst].sort((one, other) => one.at - other.at);
  return inTime({ ...poolOf(work), workers }, 60_000, jobs);
}

/** A hundred requests at once, every three seconds, between those of a steady load of half of a pool of 20 × 100 ms. */
function burstsOnSteadyLoad(size: number): number {
  const server = { ...poolOf(100), workers: 20, load: 0.5 };
  const bursts = Array.from({ length: 8 }, (_, burst) =>
    Array.from({ length: size }, () => ({ at: 5000 + 3000 * burst, work: 100 })),
  ).flat();
  const jobs = [...jobsOf(server), ...bursts].sort((one, other) => one.at - other.at);
  return inTime(server, 5000, jobs);
}

/** A database that does not respond for a while, every five seconds. */
export function pauses(length: number, query: number, load: number): number {
  return inTime({ ...poolOf(query), load, seconds: 60, pauses: { every: 5000, length } });
}

/** A dependency that takes three times as long from the thirtieth second on, whatever the load. */
function slowerForGood(): number {
  const ample = { ...poolOf(100), workers: 10_000, load: 0.02, seconds: 90 };
  const jobs = jobsOf(ample).map(({ at, work }) => ({ at, work: at < 30_000 ? work : 3 * work }));
  return inTime(ample, 30_000, jobs);
}

/** A dependency that becomes ten times as slow, which then is three times its capacity. */
function tenTimesSlower(): number {
  const server = { ...poolOf(35), load: 0.3, seconds: 40 };
  const jobs = jobsOf(server).map(({ at, work }) => ({ at, work: at < 10_000 ? work : 10 * work }));
  const outcomes = simulate(server, jobs).filter(({ at }) => at >= 10_000);
  return (3 * outcomes.filter(({ answered }) => answered).length) / outcomes.length;
}

/** A new process, whose first requests wait for five seconds. */
function slowServer(): number {
  const server = { ...poolOf(5000), workers: 10_000, load: 0.01, seconds: 20, isCold: true };
  const outcomes = simulate(server, jobsOf(server));
  return outcomes.filter(({ answered }) => answered).length / outcomes.length;
}

/** The fraction of the other requests, while nine in ten wait for a service that does not respond. */
function hanging(): number {
  const ample = { ...poolOf(20), workers: 10_000, load: 0.0002 };
  const jobs = jobsOf(ample).map((job, index) =>
    index % 10 === 0 ? job : { ...job, work: 60_000 },
  );
  return 10 * inTime(ample, 0, jobs);
}

/**
 * An overload from the first request on, so that no request shows how long work takes without a queue. Returns the
 * answers in time, relative to the capacity.
 */
function overloadedAtOnce(): number {
  return 5 * inTime({ ...poolOf(35), load: 5 });
}

/** The first five seconds of a spike after light load, relative to the capacity. */
function spikeAfterLightLoad(): number {
  const server = { ...poolOf(35), workers: 50, seed: 2 };
  const phases = [
    { load: 0.5, seconds: 3 },
    { load: 5, seconds: 5 },
  ];
  return 5 * inTime(server, 3000, jobsOfPhases(server, phases));
}

/** The first two seconds of a process. */
export function coldSpike(kind: HandlerKind, connects = false, seed = 1): number {
  const server = { ...common, kind, mean: 0.1, serviceTime: constant(0.1), load: 0.2, seconds: 2 };
  return inTime({ ...server, connects, seed, isCold: true });
}

/**
 * The fraction of requests that is not rejected, for the worst of ten seeds. By chance, work that varies widely may look
 * like an overload.
 */
function varied(mean: number, workers: number, load: number): number {
  const seeds = Array.from({ length: 10 }, (_, index) => index + 1);
  const parts = seeds.map((seed) => {
    const distribution = 'lognormal 1.0';
    const server = workload({ kind: 'pool', distribution, mean, workers, load, seed });
    return 1 - figuresOf(server, simulate(server, jobsOf(server))).rejected;
  });
  return Math.min(...parts);
}

/** Overloads in which each request opens a connection, which few random workloads are. */
const withConnections = (
  [
    ['socket', 100, 10, 'constant'],
    ['query', 10, 20, 'constant'],
    ['sync', 3, 20, 'constant'],
    ['sync', 10, 20, 'lognormal 1.0'],
  ] as const
).map(([kind, mean, load, distribution]): Situation => {
  const server = workload({ ...common, kind, mean, load, distribution, connects: true });
  const answered = () => figuresOf(server, simulate(server, jobsOf(server))).answered;
  return { name: server.name, answered };
});

export const situations: readonly Situation[] = [
  ...withConnections,
  {
    name: 'a batch job of 5 ms at a time, handlers that wait for 50 ms',
    answered: () => besideOtherWork('pool', 50, 60, 5),
  },
  {
    name: 'a batch job of 20 ms at a time, handlers that wait for 50 ms',
    answered: () => besideOtherWork('pool', 50, 200, 20),
  },
  {
    name: 'a batch job of 5 ms at a time, handlers that compute after a query',
    answered: () => besideOtherWork('query', 3, 60, 5),
  },
  {
    name: 'a batch job of 50 ms at a time, handlers that compute',
    answered: () => besideOtherWork('sync', 2, 100, 50),
  },
  { name: 'a batch job, then five times as many requests', answered: stepBesideOtherWork },
  { name: 'five seconds of other work, then requests', answered: afterOtherWork },
  {
    name: 'a burst of 60 on a new process',
    answered: () => answeredOfBurst(true, 60, 200, 10_000) / 60,
  },
  {
    name: 'a burst of 100 on an idle process',
    answered: () => answeredOfBurst(false, 100, 200, 10_000) / 100,
  },
  {
    name: 'a burst of 60 before a pool of 5',
    answered: () => answeredOfBurst(false, 60, 200, 5) / 60,
  },
  {
    name: 'a burst of 100 among other requests',
    answered: () => burstAmongOthers(100, 200, 10_000),
  },
  { name: 'bursts of 150 on a steady load', answered: () => burstsOnSteadyLoad(150) },
  { name: 'a database that pauses for 300 ms', answered: () => pauses(300, 20, 0.4) },
  { name: 'a database that pauses for 800 ms', answered: () => pauses(800, 20, 0.4) },
  {
    name: 'a database that pauses for 800 ms, at 0.7 of its capacity',
    answered: () => pauses(800, 20, 0.7),
  },
  { name: 'a dependency that becomes three times as slow for good', answered: slowerForGood },
  { name: 'a dependency that becomes ten times as slow', answered: tenTimesSlower },
  { name: 'a new process before a server of five seconds', answered: slowServer },
  { name: 'a service that does not respond, for nine in ten requests', answered: hanging },
  { name: 'a pool that is overloaded from the first request on', answered: overloadedAtOnce },
  { name: 'a spike after light load, a pool of 50', answered: spikeAfterLightLoad },
  { name: 'a spike on a new process, handlers that compute', answered: () => coldSpike('sync') },
  { name: 'a spike on a new process, handlers that wait', answered: () => coldSpike('socket') },
  { name: 'widely varying work, a pool of 50 at 0.7 ×', answered: () => varied(200, 50, 0.7) },
  { name: 'widely varying work, a pool of 200 at 0.2 ×', answered: () => varied(35, 200, 0.2) },
];
