import { type Clock, startTimer } from '../clock.ts';
import { attempt } from '../errors.ts';
import { followPermit } from '../semaphore/follow-permit.ts';
import { afterGrants } from '../semaphore/grants.ts';
import { Observers } from '../semaphore/observers.ts';
import type { BasePermit } from '../semaphore/permit.ts';
import type { Rejection } from '../semaphore/rejection.ts';
import type { ShadowReport, Suggestion } from '../semaphore/shadow-stats.ts';
import { endIdentity, type Waiter } from '../semaphore/waiter.ts';
import { MeasuredCapacity } from './measured-capacity.ts';
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
  readonly perKey: boolean;
  /** The weight of a request; 0 if the limit does not apply to it. */
  weightOf(demands: Demands): number;
}

/** The limiter or gate to simulate. */
export interface Model<Demands> {
  /** Whether a default limit is one of them. It measures the process, so it can only decide in the present. */
  readonly isPresent: boolean;
  together(clock: Clock): Enforcer<Demands>;
  /** The limits for which other numbers are simulated. */
  readonly limits: readonly SimulatedLimit<Demands>[];
}

/** The simulated values of a limit, relative to the current one. */
const FACTORS = [0.25, 0.5, 1, 2, 4];

/** Measures and simulates what the suggestion for one limit needs. */
class SuggestionSource<Demands> {
  readonly #capacity = new MeasuredCapacity();
  readonly #variants: readonly Variant<Demands>[];

  /** @param together The simulation of all limits together, if this is the only one. */
  constructor(
    readonly limit: SimulatedLimit<Demands>,
    clock: Clock,
    private readonly together: Variant<Demands> | undefined,
  ) {
    const { limit: current } = limit;
    const make = (other?: number) =>
      new Variant(clock, limit.alone(clock, other), other ?? current);
    const factors = current === undefined ? [] : FACTORS;
    const values = factors.map((factor) => Math.max(1, Math.round(factor * (current as number))));
    this.#variants = [...new Set(values)].map((value) =>
      value === current ? (together ?? make()) : make(value),
    );
  }

  request(request: ShadowedRequest<Demands>): void {
    for (const variant of this.#variants) if (variant !== this.together) variant.request(request);
  }

  /** Called when the request has ended. */
  ended({ demands, duration }: ShadowedRequest<Demands>, now: number): void {
    this.#capacity.add(now, duration, this.limit.weightOf(demands));
  }

  get suggestion(): Suggestion {
    const limits = this.#variants.map(({ limit, forecast, inflightPeak }) => {
      return { limit: limit as number, ...forecast, inflightPeak };
    });
    return { measured: this.limit.perKey ? undefined : this.#capacity.limit, limits };
  }
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
  readonly #sources: readonly SuggestionSource<Demands>[];
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
    this.#sources = (isPresent ? [] : limits).map((each) => {
      return new SuggestionSource(each, ownClock, others.length === 0 ? this.#together : undefined);
    });
  }

  /**
   * Called when a request has been granted this permit.
   *
   * @param waiter Undefined for a request that is only admitted if there is room.
   */
  admitted(
    permit: BasePermit,
    demands: Demands,
    waiter?: Waiting & Pick<Waiter, 'identity'>,
  ): void {
    const identity = permit.identity ?? (waiter === undefined ? {} : endIdentity(waiter));
    const arrival = this.clock.now();
    const request = new ShadowedRequest(this.#clock, demands, waiter, identity, arrival);
    const sources = this.#sources.filter(({ limit }) => limit.weightOf(demands) > 0);
    followPermit(permit, (update) => {
      const { kind, released } = permit;
      this.#run((now) => {
        if (released) for (const source of sources) source.ended(request, now);
        request.updated((copy) => {
          if (kind !== undefined) copy.kind = kind;
          update(copy);
        });
      });
    });
    this.#run(() => {
      this.#together.request(request);
      for (const source of sources) source.request(request);
    });
  }

  stats(): ShadowReport {
    this.#run(() => {});
    const named = this.#sources.map(({ limit, suggestion }) => [limit.name, suggestion] as const);
    return { shadow: this.#together.stats, suggestions: new Map(named) };
  }

  /** Advances the clock to the present, and works then. Within the grants of other limits, this happens after them. */
  #run(work: (now: number) => void): void {
    const now = this.clock.now();
    afterGrants(() => {
      attempt(() => {
        this.#clock.advance(now);
        work(now);
      });
      // Runs last, since observers run application code.
      for (const { identity, rejection } of this.#reports.splice(0))
        this.report(rejection, identity);
    });
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
