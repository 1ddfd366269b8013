import { type Limiter, type Permit, type Rejection, Waiter } from '@headgate/core';
import { Simulation } from '../simulation.ts';
import type { Arrival } from './arrivals.ts';
import type { LimitOptions, Trial } from './trial.ts';

/** Sends requests to a limiter. */
export interface Service {
  readonly simulation: Simulation;
  readonly limiter: Limiter;
}

/** A simulated request, and what has become of it. */
export class SimulatedRequest extends Waiter {
  /** Whether the client received the response in time. */
  isAnswered = false;
  /** Why it was rejected, while its client waited. */
  rejection: Rejection | undefined;
  /** When it was admitted. */
  admittedAt: number | undefined;
  /** When it was answered or rejected, or its client left. */
  endedAt = Infinity;
  private hasLeft = false;
  private readonly timer: unknown;

  constructor(
    readonly planned: Arrival,
    private readonly service: Service,
    private readonly onAdmitted: () => void = () => {},
    private readonly onRejected: (rejection: Rejection) => void = () => {},
  ) {
    super();
    const { clientTimeout = Infinity, key, priority = 'normal', fairBy, share } = planned;
    Object.assign(this, { key, priority, fairBy, share });
    if (clientTimeout === Infinity) return;
    this.timer = service.simulation.setTimeout(() => this.leave(), clientTimeout);
  }

  /** A client that leaves does not stop its handler: the limit must notice by itself that the answer came too late. */
  override gone(): boolean {
    return this.hasLeft;
  }

  granted(permit: Permit): void {
    const { simulation } = this.service;
    this.admittedAt = simulation.now();
    this.onAdmitted();
    simulation.setTimeout(() => {
      if (!this.hasLeft) {
        this.isAnswered = true;
        this.end();
      }
      permit.release();
    }, this.planned.duration);
  }

  rejected(rejection: Rejection): void {
    if (this.hasLeft) return;
    this.rejection = rejection;
    this.end();
    this.onRejected(rejection);
  }

  private leave(): void {
    this.hasLeft = true;
    this.end();
    if (this.admittedAt === undefined) this.service.limiter.withdraw(this);
  }

  private end(): void {
    const { simulation } = this.service;
    this.endedAt = simulation.now();
    simulation.clearTimeout(this.timer);
  }
}

/** A limiter whose queue has no limit, unless the options set one. */
export function serviceOf(
  { order, override }: Trial,
  options: LimitOptions,
  arrivals: readonly Arrival[] = [],
): Service {
  const simulation = new Simulation();
  const ordered = order === undefined ? {} : { order };
  const all = { queueLimit: Infinity, ...ordered, ...options, ...override?.(arrivals) };
  return { simulation, limiter: simulation.limiter(all) };
}

/** Serves all arrivals by the limiter. `onArrival` runs before each of them. */
export function limited(
  trial: Trial,
  arrivals: readonly Arrival[],
  options: LimitOptions,
  onArrival: (limiter: Limiter, arrival: Arrival) => void = () => {},
): SimulatedRequest[] {
  const service = serviceOf(trial, options, arrivals);
  const { simulation, limiter } = service;
  const requests: SimulatedRequest[] = [];
  for (const arrival of arrivals) {
    simulation.setTimeout(() => {
      onArrival(limiter, arrival);
      const request = new SimulatedRequest(arrival, service);
      requests.push(request);
      limiter.request(request);
    }, arrival.at);
  }
  simulation.runUntil(Infinity);
  return requests;
}
