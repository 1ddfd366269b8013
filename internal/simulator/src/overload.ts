import type { LimiterOptions } from '@headgate/core';
import { arrive, type Rate } from './arrivals.ts';
import { Client, type ClientOptions } from './client.ts';
import type { Point } from './plot/panel.ts';
import { Server, type Work } from './server.ts';
import { Counter, watch } from './watch.ts';

/** The clients' load and the server's capacity. */
export interface Load {
  /** The number of jobs that the dependency handles at once without slowing down. */
  readonly capacity: number;
  readonly work: Work;
  /** Calls per second, by the milliseconds since the start. */
  readonly rate: Rate;
  readonly client: ClientOptions;
  readonly seconds: number;
}

/** A server under load over time. */
export interface LoadResult {
  /** Calls answered within their client's timeout, per second. */
  readonly answered: readonly Point[];
  /** Requests received, retries included, per second. */
  readonly requests: readonly Point[];
  readonly inflight: readonly Point[];
  readonly queued: readonly Point[];
}

/** Runs a load against a server whose limiter has these options. */
export function overload(load: Load, options: Omit<LimiterOptions, 'clock'>): LoadResult {
  const server = new Server(load.capacity, options);
  const { simulation, limiter } = server;
  const answered = new Counter(simulation, 1000);
  const requests = new Counter(simulation, 1000);
  const caller = new Client(
    simulation,
    (answer) => {
      requests.count++;
      return server.request(load.work, answer);
    },
    load.client,
  );
  const call = () =>
    caller.call((succeeded) => {
      if (succeeded) answered.count++;
    });
  arrive(simulation, load.rate, call);
  const inflight = watch(simulation, 500, () => limiter.inflight);
  const queued = watch(simulation, 500, () => limiter.queued);
  simulation.runUntil(load.seconds * 1000);
  return { answered: answered.perSecond, requests: requests.perSecond, inflight, queued };
}
