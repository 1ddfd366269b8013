import type { LimiterOptions, LocalLimiter, Outcome, Priority } from '@headgate/core';
import { arrive, type Rate } from './arrivals.ts';
import { Asking } from './asking.ts';
import type { Answer } from './client.ts';
import { Dependency } from './dependency.ts';
import type { Times } from './random-times.ts';
import { Simulation } from './simulation.ts';

/** What a stretch of time has come to. */
export interface Stretch {
  /** Of those that were answered, per second. */
  readonly throughput: number;
  /** Mean milliseconds of those that were answered, the wait included. */
  readonly latency: number;
  readonly limit: number;
}

/** What one of a server's requests is like. */
export interface Work {
  readonly times: Times;
  readonly kind?: string;
  readonly priority?: Priority;
  readonly party?: string;
  readonly outcome?: (inflight: number) => Outcome;
}

/** A server before something that saturates, with the real limiter at its door. */
export class Server {
  readonly simulation: Simulation;
  readonly dependency: Dependency;
  readonly limiter: LocalLimiter;
  #answered = 0;
  #latency = 0;

  constructor(capacity: number, options: Omit<LimiterOptions, 'clock' | 'random'>, seed = 1) {
    this.simulation = new Simulation(seed);
    this.dependency = new Dependency(this.simulation, capacity);
    this.limiter = this.simulation.limiter(options);
  }

  /** Requests come from now on. */
  load(rate: Rate, work: Work): void {
    arrive(this.simulation, rate, () => void this.request(work));
  }

  /** Lets time pass, in seconds, and tells what it has come to. */
  run(seconds: number): Stretch {
    this.#answered = 0;
    this.#latency = 0;
    this.simulation.run(this.simulation.now() + seconds * 1000);
    const throughput = this.#answered / seconds;
    return { throughput, latency: this.#latency / this.#answered, limit: this.limiter.limit };
  }

  /** Somebody asks. Returns how they go away: that leaves the line, but work that has begun goes on to its end. */
  request(work: Work, answer: (answer: Answer) => void = () => {}): () => void {
    const { times, kind, priority = 'normal', party, outcome } = work;
    const { simulation, limiter } = this;
    const begun = simulation.now();
    const asking = new Asking(
      (permit) => {
        permit.kind = kind;
        this.dependency.serve(times(simulation.random), () => {
          this.#answered++;
          this.#latency += simulation.now() - begun;
          permit.release(outcome?.(limiter.inflight));
          answer({ succeeded: true });
        });
      },
      ({ retryAfter }) => answer({ succeeded: false, retryAfter }),
    );
    asking.priority = priority;
    asking.party = party;
    asking.at(limiter);
    return () => limiter.withdraw(asking);
  }
}
