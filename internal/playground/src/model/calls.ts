import { workload } from '@headgate/simulator/event-loop/named-workload';
import type { Workload } from '@headgate/simulator/event-loop/workload';
import { randomFrom } from '@headgate/simulator/random';
import { MEAN_WORK_MS, perSecondOf, type Settings } from '../settings.ts';

/** Simulated seconds. */
export const SECONDS = 20;

/** When the spike begins and ends, in seconds. */
export const spike = { from: 5, to: 10 };

/** The same for all columns and settings. */
export const SEED = 1;

/** The part of the calls that the largest tenant makes. Each of the small tenants makes as many as the others. */
export const LARGE_TENANT = 0.9;
export const SMALL_TENANTS = 5;

/** A call of a client, which it may retry. */
export interface Call {
  /** When the client makes it, in milliseconds. */
  readonly at: number;
  /** Milliseconds that a worker needs for it. */
  readonly work: number;
  readonly isCritical: boolean;
  /** 0 is the large tenant. */
  readonly tenant: number;
}

/** A pool of workers, such as database connections. */
export function serverOf({ capacity }: Settings): Workload {
  return workload({
    kind: 'pool',
    mean: MEAN_WORK_MS,
    workers: capacity,
    distribution: 'lognormal 0.3',
    load: 1,
  });
}

/** The load in each phase, as a multiple of the capacity. */
function phasesOf({ load, spike: peak }: Settings) {
  return [
    { from: 0, to: spike.from, load },
    { ...spike, load: Math.max(load, peak) },
    { from: spike.to, to: SECONDS, load },
  ];
}

/** The calls that every column receives, in the order of their times: Poisson arrivals. */
export function callsOf(settings: Settings): Call[] {
  const random = randomFrom(SEED);
  const { serviceTime } = serverOf(settings);
  const calls: Call[] = [];
  for (const { from, to, load } of phasesOf(settings)) {
    const gap = 1000 / (perSecondOf(settings) * load);
    for (let at = 1000 * from; ; ) {
      at -= gap * Math.log(1 - random());
      if (at >= 1000 * to) break;
      const isLarge = random() < LARGE_TENANT;
      const tenant = isLarge ? 0 : 1 + Math.floor(random() * SMALL_TENANTS);
      const isCritical = 100 * random() < settings.critical;
      calls.push({ at, work: serviceTime(random), isCritical, tenant });
    }
  }
  return calls;
}
