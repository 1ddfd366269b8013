import type { Clock } from '../clock.ts';
import { attempt } from '../errors.ts';
import { isolateGrants } from '../semaphore/grants.ts';
import { Observers } from '../semaphore/observers.ts';
import type { BasePermit } from '../semaphore/permit.ts';
import type { Rejection } from '../semaphore/rejection.ts';
import type { ShadowReport } from '../semaphore/shadow-stats.ts';
import { endIdentity, type Waiter } from '../semaphore/waiter.ts';
import { CandidateLimits } from './candidate-limits.ts';
import { type Enforcer, ShadowedRequest, Variant, type Waiting } from './variant.ts';
import { VirtualClock } from './virtual-clock.ts';

/** Bounds the queues of the simulation if the limit's own queue is not bounded. */
const MAX_QUEUE = 10_000;

/** The settings with which a limiter or gate enforces in a simulation, where nothing observes it. */
export function settingsOnClock(queueLimit: number, clock: Clock) {
  return {
    clock,
    observers: new Observers(),
    // The real permit is released then, which the simulation follows.
    maxHold: Infinity,
    queueLimit: queueLimit === Infinity ? MAX_QUEUE : queueLimit,
    mode: 'enforce',
  } as const;
}

/** A limit of what is simulated. */
export interface SimulatedLimit<Demands> {
  readonly name: string;
  /** Undefined unless it is a number that applies to all requests. */
  readonly limit: number | undefined;
  /** Creates the limit alone, perhaps with another number. */
  alone(clock: Clock, limit?: number): Enforcer<Demands>;
  /** Whether it applies to a request. */
  applies(demands: Demands): boolean;
}

/** What is simulated. */
export interface Model<Demands> {
  together(clock: Clock): Enforcer<Demands>;
  readonly limits: readonly SimulatedLimit<Demands>[];
}

interface Step<Demands> extends SimulatedLimit<Demands> {
  readonly candidates: CandidateLimits<Demands>;
  /** The limit alone as it is, if there are others. */
  readonly own: Variant<Demands> | undefined;
}

/**
 * Simulates what a limiter or a gate in shadow mode would have done with the requests that it has admitted: the same
 * requests arrive at others like it, which enforce on a clock of their own. That clock advances to the present with each
 * arrival, each end and each look at the statistics. A request that would have begun later would have ended as much later,
 * so all that has happened until then is known (docs/decisions/0047).
 */
export class Simulation<Demands> {
  readonly #clock: VirtualClock;
  readonly #together: Variant<Demands>;
  readonly #steps: readonly Step<Demands>[];
  /** In the order of arrival. */
  readonly #inflight = new Set<ShadowedRequest<Demands>>();
  readonly #reports: { readonly identity: object; readonly rejection: Rejection }[] = [];

  constructor(
    private readonly clock: Clock,
    private readonly report: (rejection: Rejection, request: object) => void,
    { together, limits }: Model<Demands>,
  ) {
    const virtual = new VirtualClock(clock.now());
    const [only, ...others] = limits;
    const limit = others.length === 0 ? only?.limit : undefined;
    this.#clock = virtual;
    this.#together = new Variant(virtual, together(virtual), limit, ({ identity }, rejection) => {
      this.#reports.push({ identity, rejection });
    });
    this.#steps = limits.map((each) => {
      const make = (other?: number) =>
        new Variant(virtual, each.alone(virtual, other), other ?? each.limit);
      const own = others.length === 0 ? undefined : make();
      return { ...each, own, candidates: new CandidateLimits(make, own ?? this.#together) };
    });
  }

  /**
   * The request has been granted this permit.
   *
   * @param mayWait False for a request that is only admitted if there is room.
   */
  admitted(
    waiter: Waiting & Pick<Waiter, 'identity'>,
    demands: Demands,
    permit: BasePermit,
    mayWait = true,
  ): void {
    this.#run(() => {
      const { priority, fairBy, queueTimeout } = waiter;
      const waiting = { priority, fairBy, queueTimeout };
      const identity = permit.identity ?? endIdentity(waiter);
      const request = new ShadowedRequest(this.#clock, demands, waiting, mayWait, identity);
      permit.whenReleased = (outcome) =>
        this.#run(() => {
          this.#inflight.delete(request);
          request.end(outcome, permit.kind);
        });
      this.#together.request(request);
      for (const step of this.#steps) if (step.applies(demands)) this.#requestAt(step, request);
      this.#inflight.add(request);
    });
  }

  stats(): ShadowReport {
    this.#run(() => {});
    const named = this.#steps.map(({ name, candidates }) => [name, candidates.suggestion] as const);
    return { shadow: this.#together.stats, suggestions: new Map(named) };
  }

  #requestAt({ applies, own, candidates }: Step<Demands>, request: ShadowedRequest<Demands>): void {
    own?.request(request);
    candidates.request(request, () =>
      [...this.#inflight].filter(({ demands }) => applies(demands)),
    );
  }

  #run(step: () => void): void {
    const now = this.clock.now();
    attempt(() =>
      isolateGrants(() => {
        this.#clock.advance(now);
        step();
      }),
    );
    // Last, since observers run application code.
    for (const { identity, rejection } of this.#reports.splice(0)) this.report(rejection, identity);
  }
}
