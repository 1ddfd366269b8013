import { arrive } from '../../arrivals.ts';
import { exponential } from '../../distributions.ts';
import { poisson } from '../arrivals.ts';
import { atMost, type Case } from '../goal.ts';
import { limited, SimulatedRequest, serviceOf } from '../limited.ts';
import type { Row } from '../row.ts';
import { nameOf, rate, type Server } from '../settings.ts';
import type { Trial } from '../trial.ts';

/** At 1.05 times the capacity, the queue needs most of it to fill. */
const SLIGHT_OVERLOAD_MS = 60_000;

const SPIKE_MS = 10_000;

/** The use is measured from then on: by then, the queue of the spike is gone. */
const MEASURED_FROM_MS = 12_000;

/** Clients whose requests are not admitted by then have failed. */
const END_MS = 400_000;

const STEP_MS = 100;

const spikes = [
  { limit: 10, mean: 50 },
  { limit: 4, mean: 200 },
  { limit: 2, mean: 1000 },
];

export const row: Row = {
  id: 'retry-after',
  name: '`Retry-After`',
  description:
    'Its median at 1.05 times the capacity. Then a load of 3 times the capacity for 10 s, and of 0.5 times the capacity after it, with\n' +
    'clients that retry after the time that `Retry-After` says: the capacity that is not used until all of them have been admitted.',
  measure: (trial) => ({
    goals: [
      atMost('median', 3, 's', [medianOf(trial)]),
      atMost(
        'not used after a spike',
        10,
        '% of the capacity',
        spikes.map((server) => unusedOf(trial, server)),
      ),
    ],
  }),
};

function medianOf(trial: Trial): Case {
  const server = { limit: 100, mean: 50 };
  const arrivals = poisson({
    perSecond: rate(server, 1.05),
    duration: exponential(server.mean),
    until: SLIGHT_OVERLOAD_MS,
    seed: 3,
  });
  const seconds = limited(trial, arrivals, { limit: server.limit, queueLimit: 1000 })
    .flatMap(({ rejection }) => rejection?.retryAfter ?? [])
    .sort((one, other) => one - other);
  const value = seconds[Math.floor(seconds.length / 2)] ?? Number.NaN;
  return { setting: nameOf(server, 'exponential', '1.05 ×'), value };
}

function unusedOf(trial: Trial, server: Server): Case {
  const { limit, mean } = server;
  const service = serviceOf(trial, { limit, queueLimit: 1000 });
  const { simulation, limiter } = service;
  const duration = exponential(mean);
  let retrying = 0;
  let used = 0;

  function request(work: number, isRetry: boolean): void {
    const arrival = { at: simulation.now(), duration: work };
    const admitted = () => {
      if (isRetry) retrying--;
      if (simulation.now() >= MEASURED_FROM_MS) used += work;
    };
    const each = new SimulatedRequest(arrival, service, admitted, ({ retryAfter }) => {
      if (!isRetry) retrying++;
      simulation.setTimeout(() => request(work, true), 1000 * retryAfter);
    });
    limiter.request(each);
  }

  const load = (now: number) => rate(server, now < SPIKE_MS ? 3 : 0.5);
  arrive(simulation, load, () => request(duration(simulation.random), false));
  simulation.runUntil(MEASURED_FROM_MS);
  while (retrying > 0 && simulation.now() < END_MS) simulation.runUntil(simulation.now() + STEP_MS);
  const available = limit * (simulation.now() - MEASURED_FROM_MS);
  const unused = available === 0 ? 0 : 1 - used / available;
  return { setting: nameOf(server, 'exponential'), value: 100 * unused };
}
