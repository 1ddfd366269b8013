import { bundle } from '@headgate/test-servers';
import { type Place, Workers } from './crew.ts';
import { Rng } from './dice.ts';
import type { Fault } from './faults/fault.ts';
import { network } from './faults/network.ts';
import { processes } from './faults/processes.ts';
import type { Ground, Subject } from './ground.ts';
import { Record } from './log/record.ts';
import { verifier, watchLoop, watchServer } from './log/watch-loop.ts';
import { type Report, reportOn } from './report.ts';
import { round } from './round.ts';
import type { Weather } from './storm.ts';

const size = 8;

export interface SceneOptions {
  readonly subject: Subject;
  /** One of the subject's environments. */
  readonly ground: string;
  readonly seed: number;
  readonly limits: readonly number[];
  /** Duration of the calm phase of each round, in milliseconds. */
  readonly calm: number;
  readonly weather: (rng: Rng) => Weather;
  /** Whether there is to be another round. */
  readonly more: (done: number) => boolean;
  /** Only faults whose name contains this. */
  readonly only?: string | undefined;
  /** Called with the result of each round. */
  readonly tell: (report: Report) => void;
}

/** Runs eight processes, a store and faults, round after round. */
export async function play(options: SceneOptions): Promise<void> {
  const { subject, limits, seed, calm } = options;
  const { lease, timeout, costless } = subject;
  const program = await bundle(subject.worker);
  const make = subject.grounds[options.ground];
  if (make === undefined) throw new Error(`there is no environment "${options.ground}"`);
  const ground = await make({ size, limits, lease, timeout });
  const rng = new Rng(seed);
  let record = new Record(subject);
  const note: Record['note'] = (event) => record.note(event);
  const way = (worker: Place) => ground.way(worker);
  const workers = new Workers({ size, program, way, limits, lease, timeout, rng, note });
  const unwatch = [watchLoop(verifier, note), watchServer(() => ground.pid?.(), note)];
  try {
    const faults = faultsOn(ground, options.only);
    const stage = { workers, ground, rng, lease, costless, note };
    for (let done = 0; options.more(done); done++) {
      record = new Record(subject);
      const weather = options.weather(rng);
      await round({ stage, faults, limits, record, calm, weather });
      const title = `${options.ground}, seed ${seed}, round ${done + 1}`;
      options.tell(reportOn(record, limits, ground.store.can, title));
    }
  } finally {
    for (const end of unwatch) end();
    await workers.close();
    await ground.stop();
  }
}

function faultsOn({ proxies, faults: own }: Ground, only = ''): readonly Fault[] {
  const possible = [...processes, ...own, ...(proxies.length > 0 ? network : [])];
  const faults = possible.filter(({ name }) => name.includes(only));
  if (faults.length === 0) throw new Error(`no fault has "${only}" in its name`);
  return faults;
}
