import {
  createLimiter,
  type DistributedLimiterOptions,
  type Limiter,
  type Observer,
  type Permit,
  type Rejection,
  Waiter,
} from '@headgate/core';
import { Memory, memoryStore } from '@headgate/store-kit/memory-store';
import { expect } from 'vitest';
import { faultyStore, VirtualClock } from '../../src/index.ts';
import type { Faults, FaultyStore } from '../../src/store/faulty-store.ts';

export const lease = 1200;
const timeout = 200;

export interface SceneOptions {
  readonly limit: number;
  readonly queueLimit: number;
  readonly onStoreError: DistributedLimiterOptions['onStoreError'];
  readonly handoff: number;
  readonly reserve: number;
  readonly perKey: boolean;
}

/** The guarantees that the run's faults may break. */
export interface Licence {
  readonly overLimit: boolean;
  readonly outOfOrder: boolean;
}

class Caller extends Waiter {
  permit: Permit | undefined = undefined;
  signal: AbortSignal | undefined = undefined;
  rejection: Rejection | undefined = undefined;
  answers = 0;
  isWithdrawn = false;
  readonly from: number;

  constructor(
    private readonly scene: DistributedScene,
    readonly limiter: Limiter,
    readonly maxWait: number,
  ) {
    super();
    this.from = scene.clock.now();
    this.queueTimeout = maxWait;
  }

  get waits(): boolean {
    return this.answers === 0 && !this.isWithdrawn;
  }

  get isRunning(): boolean {
    return this.permit !== undefined && this.signal?.aborted === false;
  }

  granted(permit: Permit): void {
    this.answers++;
    this.permit = permit;
    this.signal = permit.signal;
    this.scene.granted(this);
  }

  rejected(rejection: Rejection): void {
    this.answers++;
    this.rejection = rejection;
  }
}

/** Three processes with a distributed limiter each, and faults between them and their store. */
export class DistributedScene {
  readonly clock = new VirtualClock();
  readonly memory = new Memory({ clock: this.clock });
  readonly stores: FaultyStore[] = [];
  readonly limiters: Limiter[] = [];
  readonly callers: Caller[] = [];
  readonly breaches: string[] = [];
  /** Requests that shadow mode has reported as rejected, and admitted. */
  reported = 0;

  constructor(
    private readonly options: SceneOptions,
    private readonly licence: Licence,
  ) {
    const { clock, memory } = this;
    const { handoff, reserve, ...limit } = options;
    const saving = { handoff, reserve };
    for (let process = 0; process < 3; process++) {
      const store = faultyStore(
        memoryStore({ memory, clock, leaseDuration: lease, timeout, ...saving }),
      );
      this.stores.push(store);
      const observer: Observer = {
        conflict: () => {},
        store: () => {},
        rejected: ({ shadow }) => {
          if (shadow) this.reported++;
        },
      };
      const queueTimeout = 700;
      const limiter = createLimiter({ name: 'shared', ...limit, queueTimeout, clock, store });
      limiter.observe(observer);
      this.limiters.push(limiter);
    }
  }

  ask(process: number, weight: number, maxWait: number, key: string): void {
    const limiter = this.limiters[process] as Limiter;
    const caller = new Caller(this, limiter, maxWait);
    if (this.options.perKey) caller.key = key;
    // A key in use may not have learnt a new limit yet.
    caller.weight = Math.min(weight, limiter.usage(caller.key).limit);
    this.callers.push(caller);
    limiter.request(caller);
  }

  release(at: number): void {
    const holding = this.callers.filter(({ permit }) => permit !== undefined);
    const caller = holding[at % holding.length];
    caller?.permit?.release();
    if (caller !== undefined) caller.permit = undefined;
  }

  adjust(at: number, weight: number): void {
    const holding = this.callers.filter(({ permit }) => permit !== undefined);
    holding[at % holding.length]?.permit?.adjust(weight);
  }

  withdraw(at: number): void {
    const waiting = this.callers.filter(({ waits }) => waits);
    const caller = waiting[at % waiting.length];
    if (caller === undefined) return;
    caller.isWithdrawn = true;
    caller.limiter.withdraw(caller);
  }

  fault(process: number, faults: Faults): void {
    let [since, calls] = [this.clock.now(), 0];
    // Aborts endless retries, which would otherwise never be noticed.
    const call: Faults['call'] = (ops) => {
      if (since !== this.clock.now()) [since, calls] = [this.clock.now(), 0];
      if (++calls < 500) return faults.call?.(ops);
      this.breaches.push(`process ${process} retries endlessly`);
      return 'drop';
    };
    (this.stores[process] as FaultyStore).faults = { ...faults, call };
  }

  granted(caller: Caller): void {
    if (this.licence.outOfOrder) return;
    const passed = this.callers.find((other) => other.waits && other.key === caller.key);
    const [at, before] = [caller, passed].map((one) => this.callers.indexOf(one as Caller));
    if (passed !== undefined && (before as number) < (at as number)) {
      this.breaches.push(`caller ${at} was granted before caller ${before}`);
    }
  }

  async advance(milliseconds: number): Promise<void> {
    for (let left = milliseconds; left > 0; left -= 25) {
      this.clock.advance(Math.min(left, 25));
      await this.settle();
    }
  }

  /** Waits until all promises that need no time have settled, and checks the rules. */
  async settle(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    const now = this.clock.now();
    for (const [at, { answers, isWithdrawn, waits, from, maxWait }] of this.callers.entries()) {
      if (answers > (isWithdrawn ? 0 : 1))
        this.breaches.push(`caller ${at} has ${answers} answers`);
      if (waits && now > from + maxWait + 1) this.breaches.push(`caller ${at} waits for too long`);
    }
    const keys = new Set(this.callers.map(({ key }) => key));
    for (const key of keys) if (!this.licence.overLimit) this.#count(key);
    expect(this.breaches).toEqual([]);
  }

  #count(key: string | undefined): void {
    const working = this.callers.filter((caller) => caller.key === key && caller.isRunning);
    const weight = working.reduce((sum, { permit }) => sum + (permit?.weight ?? 0), 0);
    if (weight > this.options.limit) this.breaches.push(`a weight of ${weight} is in use`);
  }

  /** Removes all faults, releases all permits, and checks that nothing is left. */
  async end(): Promise<void> {
    for (const store of this.stores) store.faults = {};
    for (const limiter of this.limiters) {
      if (!limiter.closed) limiter.enforce();
      if (!limiter.closed) limiter.resume();
    }
    for (let round = 0; round < 200 && this.#isBusy; round++) {
      while (this.callers.some(({ permit }) => permit !== undefined)) this.release(0);
      await this.advance(25);
    }
    expect(this.#isBusy).toBe(false);
    // Leases whose release the store has missed expire.
    await this.advance(3 * lease);
    for (const key of this.options.perKey ? ['a', 'b'] : [undefined]) {
      const { inflight, holders, queued } = this.memory.stats({ name: 'shared', key });
      expect({ inflight, holders, queued }).toEqual({ inflight: 0, holders: 0, queued: 0 });
    }
    await this.#close();
  }

  get #isBusy(): boolean {
    return this.callers.some(({ permit, waits }) => permit !== undefined || waits);
  }

  async #close(): Promise<void> {
    const counts = { admitted: 0, withdrawn: 0, rejected: 0, wouldReject: 0 };
    const sum = (by: Readonly<Record<string, number>>) =>
      Object.values(by).reduce((total, count) => total + count);
    for (const limiter of this.limiters) {
      const { inflight, queued, keys, ...totals } = limiter.stats();
      expect({ inflight, queued, keys }).toEqual({ inflight: 0, queued: 0, keys: 0 });
      counts.admitted += totals.admitted;
      counts.withdrawn += totals.withdrawn;
      counts.rejected += sum(totals.rejected);
      counts.wouldReject += sum(totals.wouldReject);
      expect(await limiter.close()).toBe(0);
    }
    expect(counts).toEqual({
      admitted: this.callers.filter(({ signal }) => signal !== undefined).length,
      withdrawn: this.callers.filter(({ isWithdrawn }) => isWithdrawn).length,
      rejected: this.callers.filter(({ rejection }) => rejection !== undefined).length,
      wouldReject: this.reported,
    });
    await this.advance(2 * lease);
    expect(this.clock.armed).toBe(0);
  }
}
