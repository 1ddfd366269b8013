import type { Outcome } from '../limits/limit.ts';
import type { BasePermit } from '../semaphore/permit.ts';
import { noRejections, type Rejection } from '../semaphore/rejection.ts';
import type { Forecast, ShadowStats } from '../semaphore/shadow-stats.ts';
import { Waiter } from '../semaphore/waiter.ts';
import type { VirtualClock } from './virtual-clock.ts';
import { WaitHistogram } from './wait-histogram.ts';

/** A simulated limiter or gate that enforces its limits on the virtual clock. */
export interface Enforcer<Demands> {
  request(waiter: Waiter, demands: Demands): void;
  readonly inflightPeak: number;
}

/** How a request would wait. */
export type Waiting = Pick<Waiter, 'priority' | 'fairBy' | 'queueTimeout'>;

/** A request that shadow mode has admitted. */
export class ShadowedRequest<Demands> {
  /** The duration in milliseconds; undefined until the request has ended. */
  #duration: number | undefined;
  #outcome: Outcome = 'ok';
  #kind: string | undefined;
  readonly #held: { readonly permit: BasePermit; readonly waited: number }[] = [];

  constructor(
    private readonly clock: VirtualClock,
    readonly demands: Demands,
    readonly waiting: Waiting,
    /** Whether the request would wait. If not, it is only admitted if there is room. */
    readonly mayWait: boolean,
    /** Identifies the request in events. */
    readonly identity: object,
    private readonly arrival = clock.now(),
  ) {}

  /** Holds this permit of the simulation for as long as the real request takes. */
  hold(permit: BasePermit, waited: number): void {
    if (this.#duration === undefined) this.#held.push({ permit, waited });
    else this.#releaseAfter(this.#duration, permit);
  }

  /**
   * Called when the real request has ended. If the simulated permit is granted later than the real one, it is released
   * later by the same time.
   */
  end(outcome: Outcome, kind: string | undefined): void {
    this.#duration = this.clock.now() - this.arrival;
    this.#outcome = outcome;
    this.#kind = kind;
    for (const { permit, waited } of this.#held.splice(0)) this.#releaseAfter(waited, permit);
  }

  #releaseAfter(delay: number, permit: BasePermit): void {
    if (delay > 0) this.clock.setTimeout(() => this.#release(permit), delay);
    else this.#release(permit);
  }

  #release(permit: BasePermit): void {
    if (this.#kind !== undefined) permit.kind = this.#kind;
    permit.release(this.#outcome);
  }
}

/** A request that waits at one variant. */
class VirtualWaiter<Demands> extends Waiter {
  isAdmitted = false;
  private readonly start: number;

  constructor(
    private readonly variant: Variant<Demands>,
    private readonly request: ShadowedRequest<Demands>,
  ) {
    super();
    this.start = variant.clock.now();
    const { priority, fairBy, queueTimeout } = request.waiting;
    this.priority = priority;
    if (fairBy !== undefined) this.fairBy = fairBy;
    if (queueTimeout !== undefined) this.queueTimeout = queueTimeout;
  }

  granted(permit: BasePermit): void {
    const waited = this.variant.clock.now() - this.start;
    this.isAdmitted = true;
    this.variant.admitted(waited);
    this.request.hold(permit, waited);
  }

  rejected(rejection: Rejection): void {
    if (this.request.mayWait) this.variant.reject(this.request, rejection);
  }

  override joins(): boolean {
    return this.request.mayWait;
  }

  override queued(): void {
    this.variant.queued++;
  }
}

/** Simulates a limit with one particular value. */
export class Variant<Demands> {
  queued = 0;
  #admitted = 0;
  readonly #rejected = noRejections();
  readonly #waits = new WaitHistogram();
  #earlierPeak = 0;

  constructor(
    readonly clock: VirtualClock,
    private readonly enforcer: Enforcer<Demands>,
    /** The limit, if it is a number that applies to all requests; otherwise undefined. */
    readonly limit: number | undefined,
    private readonly rejects?: (request: ShadowedRequest<Demands>, rejection: Rejection) => void,
  ) {}

  /** Returns whether the request is admitted at once. */
  request(request: ShadowedRequest<Demands>): boolean {
    const waiter = new VirtualWaiter(this, request);
    this.enforcer.request(waiter, request.demands);
    return waiter.isAdmitted;
  }

  admitted(waited: number): void {
    this.#admitted++;
    this.#waits.record(waited);
  }

  reject(request: ShadowedRequest<Demands>, rejection: Rejection): void {
    this.#rejected[rejection.reason]++;
    this.rejects?.(request, rejection);
  }

  /**
   * Starts from a lower limit that has admitted every request at once: copies its requests in flight and its counts.
   */
  takeOver(lower: Variant<Demands>, inflight: Iterable<ShadowedRequest<Demands>>): void {
    for (const request of inflight) this.request(request);
    const earlier = lower.#admitted - this.#admitted;
    this.#admitted += earlier;
    this.#waits.record(0, earlier);
    this.#earlierPeak = lower.inflightPeak;
  }

  get inflightPeak(): number {
    return Math.max(this.#earlierPeak, this.enforcer.inflightPeak);
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
