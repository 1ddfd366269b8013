import type { Clock } from '../clock.ts';
import type { PermitUpdate } from '../semaphore/follow-permit.ts';
import type { BasePermit } from '../semaphore/permit.ts';
import { noRejections, type Rejection } from '../semaphore/rejection.ts';
import type { Forecast, ShadowStats } from '../semaphore/shadow-stats.ts';
import { Waiter } from '../semaphore/waiter.ts';
import { WaitHistogram } from './wait-histogram.ts';

/** A simulated limiter or gate that enforces its limits on the simulation's clock. */
export interface Enforcer<Demands> {
  request(waiter: Waiter, demands: Demands): void;
  readonly inflightPeak: number;
}

/** How a request would wait. */
export type Waiting = Pick<Waiter, 'priority' | 'fairBy' | 'queueTimeout'>;

/** A request that shadow mode has admitted. */
export class ShadowedRequest<Demands> {
  /** What has happened to the real permit, with the milliseconds since the arrival. */
  readonly #updates: (readonly [PermitUpdate, number])[] = [];
  /** The permits of the simulation, with the milliseconds waited. */
  readonly #held: (readonly [BasePermit, number])[] = [];

  /** How the request would wait. If undefined, it is only admitted if there is room. */
  readonly waiting: Waiting | undefined;

  constructor(
    private readonly clock: Clock,
    readonly demands: Demands,
    waiter: Waiting | undefined,
    /** Identifies the request in events. */
    readonly identity: object,
    private readonly arrival: number,
  ) {
    // A copy, since the waiter may be reused.
    const { priority = 'normal', fairBy, queueTimeout } = waiter ?? {};
    this.waiting = waiter && { priority, fairBy, queueTimeout };
  }

  /** Holds this permit of the simulation for as long as the real request takes. */
  hold(permit: BasePermit, waited: number): void {
    this.#held.push([permit, waited]);
    for (const [update, after] of this.#updates) this.#repeat(update, permit, after + waited);
  }

  /** Milliseconds since the admission. */
  get duration(): number {
    return this.clock.now() - this.arrival;
  }

  /** Called when the real permit has changed. */
  updated(update: PermitUpdate): void {
    const after = this.duration;
    this.#updates.push([update, after]);
    for (const [permit, waited] of this.#held) this.#repeat(update, permit, after + waited);
  }

  /** A simulated permit that was granted later than the real one changes later by the same time. */
  #repeat(update: PermitUpdate, permit: BasePermit, after: number): void {
    const delay = this.arrival + after - this.clock.now();
    if (delay > 0) this.clock.setTimeout(() => update(permit), delay);
    else update(permit);
  }
}

/** A request that waits at one variant. */
class VirtualWaiter<Demands> extends Waiter {
  private isQueued = false;
  private readonly start: number;

  constructor(
    private readonly variant: Variant<Demands>,
    private readonly request: ShadowedRequest<Demands>,
  ) {
    super();
    this.start = variant.clock.now();
    const { priority, fairBy, queueTimeout } = request.waiting ?? {};
    if (priority !== undefined) this.priority = priority;
    if (fairBy !== undefined) this.fairBy = fairBy;
    if (queueTimeout !== undefined) this.queueTimeout = queueTimeout;
  }

  granted(permit: BasePermit): void {
    // Zero even if the clock has advanced meanwhile, as the present does.
    const waited = this.isQueued ? this.variant.clock.now() - this.start : 0;
    this.variant.admitted(waited);
    this.request.hold(permit, waited);
  }

  rejected(rejection: Rejection): void {
    if (this.request.waiting !== undefined) this.variant.reject(this.request, rejection);
  }

  override mayJoin(): boolean {
    return this.request.waiting !== undefined;
  }

  override queued(): void {
    this.isQueued = true;
    this.variant.queued++;
  }
}

/** Simulates a limit with one particular value. */
export class Variant<Demands> {
  queued = 0;
  #admitted = 0;
  readonly #rejected = noRejections();
  readonly #waits = new WaitHistogram();

  constructor(
    readonly clock: Clock,
    private readonly enforcer: Enforcer<Demands>,
    /** The limit, if it is a number that applies to all requests; otherwise undefined. */
    readonly limit: number | undefined,
    private readonly rejects?: (request: ShadowedRequest<Demands>, rejection: Rejection) => void,
  ) {}

  request(request: ShadowedRequest<Demands>): void {
    this.enforcer.request(new VirtualWaiter(this, request), request.demands);
  }

  admitted(waited: number): void {
    this.#admitted++;
    this.#waits.record(waited);
  }

  reject(request: ShadowedRequest<Demands>, rejection: Rejection): void {
    this.#rejected[rejection.reason]++;
    this.rejects?.(request, rejection);
  }

  get inflightPeak(): number {
    return this.enforcer.inflightPeak;
  }

  get forecast(): Forecast {
    const rejected = Object.values(this.#rejected).reduce((sum, count) => sum + count);
    return {
      rejectedShare: rejected === 0 ? 0 : rejected / (rejected + this.#admitted),
      waitP50: this.#waits.quantile(0.5),
      waitP99: this.#waits.quantile(0.99),
    };
  }

  get stats(): ShadowStats {
    const counts = { admitted: this.#admitted, queued: this.queued };
    return { ...counts, rejected: { ...this.#rejected }, ...this.forecast };
  }
}
