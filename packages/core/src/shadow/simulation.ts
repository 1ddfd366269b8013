import { type Clock, startTimer } from '../clock.ts';
import { attempt } from '../errors.ts';
import { isolateGrants } from '../semaphore/grants.ts';
import { Observers } from '../semaphore/observers.ts';
import type { BasePermit } from '../semaphore/permit.ts';
import type { Rejection } from '../semaphore/rejection.ts';
import type { ShadowReport } from '../semaphore/shadow-stats.ts';
import { endIdentity, type Waiter } from '../semaphore/waiter.ts';
import { CandidateLimits } from './candidate-limits.ts';
import { type Enforcer, ShadowedRequest, Variant, type Waiting } from './variant.ts';
import { type SimulationClock, VirtualClock } from './virtual-clock.ts';

/** Maximum queue length in the simulation, if the limit's own queue has no bound. */
const MAX_QUEUE = 10_000;

/** The settings of a simulated limiter or gate, which enforces its limits and has no observers. */
export function settingsOnClock(queueLimit: number, clock: Clock) {
  return {
    clock,
    observers: new Observers(),
    // `maxHold` has no effect here: the real limit applies it, and the simulation follows the real releases.
    maxHold: Infinity,
    queueLimit: queueLimit === Infinity ? MAX_QUEUE : queueLimit,
    mode: 'enforce',
  } as const;
}

/** A limit in a simulation. */
export interface SimulatedLimit<Demands> {
  readonly name: string;
  /** The limit, if it is a number that applies to all requests; otherwise undefined. */
  readonly limit: number | undefined;
  /** Creates this limit without the others, optionally with another number. */
  alone(clock: Clock, limit?: number): Enforcer<Demands>;
  /** Whether it applies to a request. */
  applies(demands: Demands): boolean;
}

/** The limiter or gate to simulate. */
export interface Model<Demands> {
  /** Whether a default limit is one of them. It measures the process, so it can only decide in the present. */
  readonly isPresent: boolean;
  together(clock: Clock): Enforcer<Demands>;
  /** The limits for which other numbers are simulated. */
  readonly limits: readonly SimulatedLimit<Demands>[];
}

interface Step<Demands> extends SimulatedLimit<Demands> {
  readonly candidates: CandidateLimits<Demands>;
  /** This limit alone, with its present value, if there are other limits. */
  readonly own: Variant<Demands> | undefined;
}

/**
 * Simulates what a limiter or gate in shadow mode would have done. The admitted requests also arrive at simulated
 * copies, which enforce limits on a virtual clock. At each arrival, at each end of a request, and whenever statistics
 * are read, the clock advances to the present. If a request would have started later, it would have ended later by the
 * same time; so at any moment, everything up to the present is known (docs/decisions/0047). With a default limit, the
 * copy runs on the real clock, as it measures the process (docs/decisions/0073).
 */
export class Simulation<Demands> {
  readonly #clock: SimulationClock;
  readonly #together: Variant<Demands>;
  readonly #steps: readonly Step<Demands>[];
  /** Requests in order of arrival. */
  readonly #inflight = new Set<ShadowedRequest<Demands>>();
  readonly #reports: { readonly identity: object; readonly rejection: Rejection }[] = [];

  constructor(
    private readonly clock: Clock,
    private readonly report: (rejection: Rejection, request: object) => void,
    { together, limits, isPresent }: Model<Demands>,
  ) {
    const random = () => clock.random?.() ?? Math.random();
    const ownClock = isPresent
      ? presentClock(clock, random)
      : new VirtualClock(clock.now(), random);
    const [only, ...others] = limits;
    const limit = others.length === 0 ? only?.limit : undefined;
    this.#clock = ownClock;
    this.#together = new Variant(ownClock, together(ownClock), limit, ({ identity }, rejection) => {
      this.#reports.push({ identity, rejection });
    });
    // Other numbers mean nothing to a default limit.
    this.#steps = (isPresent ? [] : limits).map((each) => {
      const make = (other?: number) =>
        new Variant(ownClock, each.alone(ownClock, other), other ?? each.limit);
      const own = others.length === 0 ? undefined : make();
      return { ...each, own, candidates: new CandidateLimits(make, own ?? this.#together) };
    });
  }

  /**
   * Called when the request has been granted this permit.
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
      permit.whenUpdated = (update) =>
        this.#run(() => {
          const { kind, released } = permit;
          if (released) this.#inflight.delete(request);
          request.updated((copy) => {
            if (kind !== undefined) copy.kind = kind;
            update(copy);
          });
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
    // Runs last, since observers run application code.
    for (const { identity, rejection } of this.#reports.splice(0)) this.report(rejection, identity);
  }
}

/** The clock of the process, for a simulation. Its timers do not keep the process alive. */
function presentClock(clock: Clock, random: () => number): SimulationClock {
  return {
    advance() {},
    random,
    now: () => clock.now(),
    setTimeout: (callback, delay) => startTimer(clock, delay, callback, true),
    clearTimeout: (cancel) => (cancel as () => void)(),
  };
}
