import type { LimiterOptions } from '@headgate/core';
import { arrive, type Rate } from './arrivals.ts';
import { Client, type Habits } from './client.ts';
import type { Point } from './plot/plot.ts';
import { Server, type Work } from './server.ts';
import { Counter, watch } from './watch.ts';

/** What clients do, and to what. */
export interface Load {
  /** How much the dependency does at once as fast as one. */
  readonly capacity: number;
  readonly work: Work;
  /** Calls a second, by the milliseconds since the beginning. */
  readonly rate: Rate;
  readonly habits: Habits;
  readonly seconds: number;
}

/** A server under load, over time. */
export interface Course {
  /** Calls that were answered while their client still waited, per second. */
  readonly answered: readonly Point[];
  /** Requests that came, retries included, per second. */
  readonly requests: readonly Point[];
  readonly inflight: readonly Point[];
  readonly queued: readonly Point[];
}

/** Runs a load against a server whose limiter has these options. */
export function overload(load: Load, options: Omit<LimiterOptions, 'clock' | 'random'>): Course {
  const server = new Server(load.capacity, options);
  const { simulation, limiter } = server;
  const answered = new Counter(simulation, 1000);
  const requests = new Counter(simulation, 1000);
  const client = new Client(
    simulation,
    (answer) => {
      requests.count++;
      return server.request(load.work, answer);
    },
    load.habits,
  );
  const call = () =>
    client.call((succeeded) => {
      if (succeeded) answered.count++;
    });
  arrive(simulation, load.rate, call);
  const inflight = watch(simulation, 500, () => limiter.inflight);
  const queued = watch(simulation, 500, () => limiter.queued);
  simulation.run(load.seconds * 1000);
  return { answered: answered.perSecond, requests: requests.perSecond, inflight, queued };
}
