import { setTimeout as sleep } from 'node:timers/promises';
import { createLimiter, type Limiter, type Permit } from '@headgate/core';
import type { Store } from '@headgate/core/distributed';
import { Rng } from '../dice.ts';
import type { Times } from '../ground.ts';
import { stamp } from '../log/stamp.ts';
import { watchLoop } from '../log/watch-loop.ts';
import { call, type Shift } from './caller.ts';
import { shiftClock } from './clock.ts';
import type { Order, Plan } from './plan.ts';
import { Resource } from './resource.ts';
import { inShort, note, say } from './say.ts';
import { watchWaits } from './watch.ts';

/** Turns this process into a worker with this store, which is created from the environment's connection settings. */
export async function serve<W>(
  make: (way: W, times: Times) => Store | Promise<Store>,
): Promise<void> {
  const plan = JSON.parse(process.argv[2] ?? '') as Plan;
  const { worker, lease, timeout } = plan;
  process.on('disconnect', () => process.exit());
  process.on('uncaughtException', (error, origin) => {
    note({ kind: 'failed', at: stamp(), worker, what: `${origin}: ${inShort(error)}` });
  });
  shiftClock(plan.clock);
  watchLoop(worker, note);
  const store = watchWaits(await make(plan.way as W, { lease, timeout }), worker);
  const member = new Worker(plan, store);
  process.on('message', (order: Order) => member.obey(order));
  await reach(store, `chaos-${plan.limits[0]}`);
  say({ ready: true });
}

/**
 * Resolves when the store answers, so that the time to connect eight processes does not count. The wait is limited,
 * because a worker may start during a fault.
 */
async function reach(store: Store, name: string): Promise<void> {
  for (const end = stamp() + 3_000; stamp() < end; ) {
    const isThere = await store.stats({ name }).then(
      () => true,
      () => false,
    );
    if (isThere) return;
    await sleep(50);
  }
}

class Worker {
  readonly #plan: Plan;
  readonly #limiters: ReadonlyMap<number, Limiter>;
  readonly #resource: Resource;
  readonly #rng: Rng;
  readonly #held: Permit[] = [];
  #calls = 0;
  #stop = new AbortController();

  constructor(plan: Plan, store: Store) {
    // The faults cause outages, so warnings about them are pointless.
    const observer = { store: () => {} };
    const line = { queueLimit: 1_000, queueTimeout: 2 * plan.lease, observer };
    const make = (limit: number) => {
      return createLimiter({ name: `chaos-${limit}`, limit, store, ...line });
    };
    this.#plan = plan;
    this.#limiters = new Map(plan.limits.map((limit) => [limit, make(limit)]));
    this.#resource = new Resource(plan);
    this.#rng = new Rng(plan.seed);
  }

  obey(order: Order): void {
    if ('written' in order) this.#resource.written(order.written);
    else if ('clock' in order) shiftClock(order.clock);
    else if ('probe' in order) void this.#probe(order.probe, order.limit, order.patience);
    else if ('release' in order) for (const permit of this.#held.splice(0)) permit.release();
    else if (order.load !== false) this.#begin(order.load);
    else this.#stop.abort(new Error('the callers are stopped'));
  }

  #begin(pause: number): void {
    const { worker, lease, callers } = this.#plan;
    this.#stop = new AbortController();
    const about = { worker, lease, pause, rng: this.#rng, resource: this.#resource };
    const shift: Shift = { ...about, stop: this.#stop.signal, next: () => ++this.#calls };
    for (const [limit, limiter] of this.#limiters) {
      // Some leases must be renewed without faults, too.
      const isLong = limit > 1 && this.#rng.chance(0.25);
      for (let i = 0; i < callers; i++) void call(limit, limiter, shift, isLong && i === 0);
    }
  }

  async #probe(probed: number, limit: number, queueTimeout: number): Promise<void> {
    try {
      const permit = await this.#limiters.get(limit)?.acquire({ queueTimeout });
      if (permit !== undefined) this.#held.push(permit);
      say({ probed, limit, admitted: permit?.signal.aborted === false });
    } catch {
      say({ probed, limit, admitted: false });
    }
  }
}
