import { invalid } from '../errors.ts';
import { checkAskedOfGate } from '../limiter/asking.ts';
import type { CloseOptions } from '../limiter/ledger.ts';
import type { Limiter } from '../limiter/limiter.ts';
import type { Permit } from '../limiter/permit.ts';
import type { LimiterSettings } from '../limiter/pools.ts';
import { checkIdle, type Waiter } from '../limiter/waiter.ts';
import type { Gate, GateStats, GateWaitOptions } from './gate.ts';
import type { GateLimit } from './gate-limits.ts';
import type { GateSettings } from './options.ts';
import type { Plan } from './plan.ts';
import { checkTakes, type Takes, takesFrom } from './takes.ts';

/**
 * Settings of a limiter that can implement the whole gate by itself; undefined if none can. Every request must
 * acquire it, which an optional or keyed limit does not guarantee; no request may exceed it, as in shadow mode; and
 * it must have the gate's name, which rejections and events carry.
 */
export function soleSettings(
  [only, ...others]: readonly Plan[],
  settings: GateSettings,
): LimiterSettings | undefined {
  if (only?.owned !== true || others.length > 0 || settings.mode === 'shadow') return undefined;
  const { limiter, optional } = only;
  if (optional || limiter.perKey || limiter.name !== settings.name) return undefined;
  const queueLimit = Math.min(limiter.queueLimit, settings.queueLimit);
  return { ...limiter, ...settings, queueLimit };
}

/** The most common gate, and the cheapest: requests use the queue and the permits of its only limit. */
export class SoleGate implements Gate {
  readonly name: string;
  readonly limits: readonly [GateLimit];
  readonly #limiter: Limiter;

  constructor(limiter: Limiter) {
    this.name = limiter.name;
    this.limits = [{ limiter, optional: false, owned: true }];
    this.#limiter = limiter;
  }

  get inflight(): number {
    return this.#limiter.holders;
  }

  get queued(): number {
    return this.#limiter.queued;
  }

  request(waiter: Waiter, takes: Takes): void {
    checkIdle(waiter);
    checkTakes(this.limits, takes);
    const [take] = takes;
    if (take === undefined) throw invalid('takes', 'the demand of the only limit', takes);
    waiter.key = undefined;
    waiter.limit = undefined;
    if (waiter.share !== take.share) waiter.share = take.share;
    waiter.weight = take.weight;
    this.#limiter.request(waiter);
  }

  withdraw(waiter: Waiter): void {
    this.#limiter.withdraw(waiter);
  }

  async acquire(options: GateWaitOptions = {}): Promise<Permit> {
    return this.#limiter.acquire(this.#asked(options));
  }

  async run<T>(
    fn: (permit: Permit) => T | PromiseLike<T>,
    options: GateWaitOptions = {},
  ): Promise<T> {
    return this.#limiter.run(fn, this.#asked(options));
  }

  close(options?: CloseOptions): Promise<number> {
    return this.#limiter.close(options);
  }

  stats(): GateStats {
    const limitStats = this.#limiter.stats();
    const { limit: _, keys: __, ...stats } = limitStats;
    return { ...stats, inflight: this.inflight, limits: [limitStats] };
  }

  #asked(options: GateWaitOptions) {
    checkAskedOfGate('acquire', options);
    const { signal, queueTimeout, priority, party } = options;
    const takes = takesFrom(this.limits, options);
    checkTakes(this.limits, takes);
    const [{ weight, share } = {}] = takes;
    return { weight, share, signal, queueTimeout, priority, party };
  }
}
