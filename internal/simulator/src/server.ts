import type { LimiterOptions, LocalLimiter, Outcome, Priority } from '@headgate/core';
import { arrive, type Rate } from './arrivals.ts';
import { CallbackWaiter } from './callback-waiter.ts';
import type { Answer } from './client.ts';
import { Dependency } from './dependency.ts';
import type { Distribution } from './distributions.ts';
import { Simulation } from './simulation.ts';

/** The figures of an interval. */
export interface Interval {
  /** Answered requests per second. */
  readonly throughput: number;
  /** Mean latency of the answered requests in milliseconds, including the wait in the queue. */
  readonly latency: number;
  readonly limit: number;
}

/** The properties of a request. */
export interface Work {
  readonly serviceTime: Distribution;
  readonly kind?: string;
  readonly priority?: Priority;
  readonly fairBy?: string;
  readonly outcome?: (inflight: number) => Outcome;
}

/** A server with the real limiter in front of a dependency that saturates. */
export class Server {
  readonly simulation: Simulation;
  readonly dependency: Dependency;
  readonly limiter: LocalLimiter;
  #answered = 0;
  #latency = 0;

  constructor(capacity: number, options: Omit<LimiterOptions, 'clock'>, seed = 1) {
    this.simulation = new Simulation(seed);
    this.dependency = new Dependency(this.simulation, capacity);
    this.limiter = this.simulation.limiter(options);
  }

  /** Starts a stream of requests. */
  load(rate: Rate, work: Work): void {
    arrive(this.simulation, rate, () => void this.request(work));
  }

  /** Advances the simulation by `seconds` and returns the figures of that time. */
  advance(seconds: number): Interval {
    this.#answered = 0;
    this.#latency = 0;
    this.simulation.runUntil(this.simulation.now() + seconds * 1000);
    const throughput = this.#answered / seconds;
    return { throughput, latency: this.#latency / this.#answered, limit: this.limiter.limit };
  }

  /**
   * Sends a request. Returns a function that disconnects the client. That withdraws a queued request, but does not stop
   * work that has begun.
   */
  request(work: Work, answer: (answer: Answer) => void = () => {}): () => void {
    const { serviceTime, kind, priority = 'normal', fairBy, outcome } = work;
    const { simulation, limiter } = this;
    const start = simulation.now();
    const waiter = new CallbackWaiter(
      (permit) => {
        permit.kind = kind;
        this.dependency.serve(serviceTime(simulation.random), () => {
          this.#answered++;
          this.#latency += simulation.now() - start;
          permit.release(outcome?.(limiter.inflight));
          answer({ succeeded: true });
        });
      },
      ({ retryAfter }) => answer({ succeeded: false, retryAfter }),
    );
    waiter.priority = priority;
    waiter.fairBy = fairBy;
    waiter.requestFrom(limiter);
    return () => {
      waiter.hasLeft = true;
      limiter.withdraw(waiter);
    };
  }
}
