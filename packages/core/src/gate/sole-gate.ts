import { checkNames } from '../checks.ts';
import { invalid } from '../errors.ts';
import type { LimiterSettings } from '../limiter/distributed-options.ts';
import type { Limiter } from '../limiter/limiter.ts';
import type { GateStats } from '../limiter/stats.ts';
import type { Observer } from '../semaphore/observer.ts';
import type { Permit } from '../semaphore/permit.ts';
import type { CloseOptions } from '../semaphore/permit-tracker.ts';
import { checkIdle } from '../semaphore/request.ts';
import type { Waiter } from '../semaphore/waiter.ts';
import { type Demands, demandsFrom, outOfOrder } from './demands.ts';
import {
  type GateSettings,
  type GateWaitOptions,
  gateWaitOptions,
  type InternalGate,
} from './gate.ts';
import type { GateLimit } from './gate-limits.ts';
import type { LimitSpec } from './limit-spec.ts';

/**
 * Returns the settings of a limiter that can implement the whole gate alone, or undefined if none can. It can if every
 * request acquires it (it is neither optional nor keyed) and it has the gate's name, which rejections and events
 * contain.
 */
export function soleSettings(
  [only, ...others]: readonly LimitSpec[],
  settings: GateSettings,
): LimiterSettings | undefined {
  if (only?.owned !== true || others.length > 0) return undefined;
  const { limiter, optional } = only;
  if (optional || limiter.perKey || limiter.name !== settings.name) return undefined;
  const queueLimit = Math.min(limiter.queueLimit, settings.queueLimit);
  return { ...settings, ...limiter, queueLimit };
}

/**
 * A gate with a single limit. It is the most common and the cheapest gate: requests use the limiter's own queue and
 * permits.
 */
export class SoleGate implements InternalGate {
  readonly name: string;
  readonly limits: readonly [GateLimit];
  readonly limiters: InternalGate['limiters'];
  readonly #limiter: Limiter;

  constructor(limiter: Limiter) {
    this.name = limiter.name;
    this.limits = [{ limiter, optional: false, owned: true }];
    this.limiters = limiter.limiters;
    this.#limiter = limiter;
  }

  get closed(): boolean {
    return this.#limiter.closed;
  }

  get holders(): number {
    return this.#limiter.holders;
  }

  get queued(): number {
    return this.#limiter.queued;
  }

  request(waiter: Waiter, demands: Demands): void {
    // Before the fields change, by which a queue would find the waiter. The limiter checks the rest.
    checkIdle(waiter);
    const [demand, other] = demands;
    if (demand === undefined) throw invalid('demands', 'the demand of the only limit', demands);
    if (other !== undefined) throw outOfOrder(other.limiter);
    if (demand.limiter !== this.#limiter) throw outOfOrder(demand.limiter);
    if (waiter.key !== demand.key) waiter.key = demand.key;
    if (waiter.limit !== demand.limit) waiter.limit = demand.limit;
    if (waiter.share !== demand.share) waiter.share = demand.share;
    waiter.weight = demand.weight;
    this.#limiter.request(waiter);
  }

  withdraw(waiter: Waiter): void {
    this.#limiter.withdraw(waiter);
  }

  async acquire(options: GateWaitOptions = {}): Promise<Permit> {
    return this.#limiter.acquire(this.#limiterOptions(options, 'acquire'));
  }

  async run<T>(
    fn: (permit: Permit) => T | PromiseLike<T>,
    options: GateWaitOptions = {},
  ): Promise<T> {
    return this.#limiter.run(fn, this.#limiterOptions(options, 'run'));
  }

  observe(observer: Observer): () => void {
    return this.#limiter.observe(observer);
  }

  close(options?: CloseOptions): Promise<number> {
    return this.#limiter.close(options);
  }

  stats(): GateStats {
    const limitStats = this.#limiter.stats();
    const { limit, limitReason, inflight, keys, baseline, priorities, shares, ...others } =
      limitStats;
    const { inflightPeak, inflightHistogram, ...stats } = others;
    return { ...stats, limits: [limitStats] };
  }

  #limiterOptions(options: GateWaitOptions, owner: string) {
    checkNames(owner, options, gateWaitOptions);
    const { signal, queueTimeout, priority, fairBy } = options;
    const [{ key, weight, share } = {}] = demandsFrom(this.limits, options);
    return { key, weight, share, signal, queueTimeout, priority, fairBy };
  }
}
