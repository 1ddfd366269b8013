import { bundle } from '@headgate/test-servers';
import type { Environment, StoreUnderTest } from './environment.ts';
import type { Fault } from './faults/fault.ts';
import { network } from './faults/network.ts';
import { processes } from './faults/processes.ts';
import type { FaultSchedule } from './inject.ts';
import { EventLog } from './log/event-log.ts';
import { verifier, watchClock, watchLoop, watchServer } from './log/watch-loop.ts';
import { operatedLimit } from './operated-limit.ts';
import { Operator } from './operator.ts';
import { type Report, reportOn } from './report.ts';
import { Rng } from './rng.ts';
import { round } from './round.ts';
import { type WorkerSlot, Workers } from './workers.ts';

const size = 8;

export interface RunOptions {
  readonly storeUnderTest: StoreUnderTest;
  /** One of the store's environments. */
  readonly environment: string;
  readonly seed: number;
  readonly limits: readonly number[];
  /** Duration of the calm phase of each round, in milliseconds. */
  readonly calm: number;
  readonly schedule: (rng: Rng) => FaultSchedule;
  /** Whether there is to be another round. */
  readonly more: (done: number) => boolean;
  /** Only faults whose name contains this. */
  readonly only?: string | undefined;
  /** Called with the result of each round. */
  readonly onReport: (report: Report) => void;
}

/** Runs eight processes, a store and faults, round after round. */
export async function runRounds(options: RunOptions): Promise<void> {
  const { storeUnderTest, limits, seed, calm } = options;
  const { lease, timeout, maxDurationWithoutLoss } = storeUnderTest;
  const program = await bundle(storeUnderTest.worker);
  const make = storeUnderTest.environments[options.environment];
  if (make === undefined) throw new Error(`there is no environment "${options.environment}"`);
  const environment = await make({ size, limits, lease, timeout });
  const rng = new Rng(seed);
  let eventLog = new EventLog(storeUnderTest);
  const note: EventLog['note'] = (event) => eventLog.note(event);
  const connectionSettings = (worker: WorkerSlot) => environment.connectionSettings(worker);
  const workers = new Workers({
    size,
    program,
    connectionSettings,
    limits,
    lease,
    timeout,
    rng,
    note,
  });
  const unwatch = [
    watchLoop(verifier, note),
    watchServer(() => environment.pid?.(), note),
    watchClock(note),
  ];
  try {
    const faults = faultsOn(environment, options.only);
    const context = { workers, environment, rng, lease, timeout, maxDurationWithoutLoss, note };
    const operator = limits.includes(operatedLimit)
      ? new Operator(workers, new Rng(seed))
      : undefined;
    for (let done = 0; options.more(done); done++) {
      eventLog = new EventLog(storeUnderTest);
      const schedule = options.schedule(rng);
      await round({ context, faults, limits, eventLog, calm, schedule, operator });
      const title = `${options.environment}, seed ${seed}, round ${done + 1}`;
      options.onReport(reportOn(eventLog, limits, title));
    }
  } finally {
    for (const end of unwatch) end();
    await workers.close();
    await environment.stop();
  }
}

function faultsOn({ proxies, faults: own }: Environment, only = ''): readonly Fault[] {
  const possible = [...processes, ...own, ...(proxies.length > 0 ? network : [])];
  const faults = possible.filter(({ name }) => name.includes(only));
  if (faults.length === 0) throw new Error(`no fault has "${only}" in its name`);
  return faults;
}
