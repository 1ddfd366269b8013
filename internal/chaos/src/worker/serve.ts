import { setTimeout as sleep } from 'node:timers/promises';
import { createLimiter, type Limiter, type Permit } from '@headgate/core';
import type { Store } from '@headgate/store-kit';
import type { Times } from '../environment.ts';
import { stamp } from '../log/stamp.ts';
import { watchLoop } from '../log/watch-loop.ts';
import { operatedLimit } from '../operated-limit.ts';
import { Rng } from '../rng.ts';
import { type CallerContext, call } from './caller.ts';
import { shiftClock } from './clock.ts';
import type { ChaosOperation, Comparison, Plan, WorkerCommand } from './messages.ts';
import { Resource } from './resource.ts';
import { describeError, note, send } from './send.ts';
import { watchWaits } from './watch.ts';

/** Makes this process a worker with this store, which is created from the environment's connection settings. */
export async function serve<W>(
  make: (connectionSettings: W, times: Times) => Store | Promise<Store>,
): Promise<void> {
  const plan = JSON.parse(process.argv[2] ?? '') as Plan;
  const { worker, lease, timeout } = plan;
  process.on('disconnect', () => process.exit());
  process.on('uncaughtException', (error, origin) => {
    note({ kind: 'failed', at: stamp(), worker, what: `${origin}: ${describeError(error)}` });
  });
  shiftClock(plan.clock);
  watchLoop(worker, note);
  const store = watchWaits(await make(plan.connectionSettings as W, { lease, timeout }), worker);
  const member = new Worker(plan, store);
  process.on('message', (command: WorkerCommand) => member.run(command));
  await waitForAnswer(store, `chaos-${plan.limits[0]}`);
  send({ ready: true });
}

/**
 * Resolves when the store answers, so that the time in which eight processes connect does not count. The wait is
 * bounded, since a worker may start during a fault.
 */
async function waitForAnswer(store: Store, name: string): Promise<void> {
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
    const queue = { queueLimit: 1_000, queueTimeout: 2 * plan.lease };
    const make = (limit: number) => {
      const limiter = createLimiter({ name: `chaos-${limit}`, limit, store, ...queue });
      // Faults cause outages, so warnings about outages would be pointless.
      limiter.observe({ store: () => {}, conflict: () => {} });
      return limiter;
    };
    this.#plan = plan;
    this.#limiters = new Map(plan.limits.map((limit) => [limit, make(limit)]));
    this.#resource = new Resource(plan);
    this.#rng = new Rng(plan.seed);
  }

  run(command: WorkerCommand): void {
    if ('written' in command) this.#resource.written(command.written);
    else if ('clock' in command) shiftClock(command.clock);
    else if ('probe' in command)
      void this.#probe(command.probe, command.limit, command.queueTimeout);
    else if ('operate' in command) this.#operate(command.operate, command.limit);
    else if ('comparison' in command) void this.#compare(command);
    else if ('release' in command) for (const permit of this.#held.splice(0)) permit.release();
    else if (command.load !== false) this.#begin(command.load);
    else this.#stop.abort(new Error('the callers are stopped'));
  }

  #begin(pause: number): void {
    const { worker, lease, callers } = this.#plan;
    this.#stop = new AbortController();
    const about = { worker, lease, pause, rng: this.#rng, resource: this.#resource };
    const context: CallerContext = { ...about, stop: this.#stop.signal, next: () => ++this.#calls };
    for (const [limit, limiter] of this.#limiters) {
      // Even when there are no faults, some work must be so long that its lease is renewed.
      const isLong = limit > 1 && this.#rng.chance(0.25);
      // In shadow mode no caller waits for another, and a large number of callers would keep the machine busy.
      const count = limit === operatedLimit ? 1 : callers;
      for (let i = 0; i < count; i++) void call(limit, limiter, context, isLong && i === 0);
    }
  }

  #operate(operation: ChaosOperation, limit: number): void {
    const { worker } = this.#plan;
    const limiter = this.#limiters.get(limit);
    if (limiter === undefined) return;
    note({ kind: 'operated', at: stamp(), worker, limit, operation: String(operation) });
    if (typeof operation === 'number') limiter.setLimit(operation);
    else limiter[operation]();
  }

  async #compare({ comparison, limit, expected }: Comparison): Promise<void> {
    const { worker, timeout: queueTimeout } = this.#plan;
    const limiter = this.#limiters.get(limit);
    if (limiter === undefined) return;
    const from = stamp();
    // Its answer contains how the limit is operated, whether or not a permit is granted.
    await limiter.acquire({ queueTimeout }).then(
      (permit) => permit.release(),
      () => {},
    );
    // A message may have granted the permit before that answer arrived.
    await sleep(queueTimeout / 3);
    const known = `${limiter.state} ${limiter.mode} ${limiter.limit}`;
    note({ kind: 'known', at: stamp(), from, worker, limit, comparison, known, expected });
  }

  async #probe(probed: number, limit: number, queueTimeout: number): Promise<void> {
    try {
      const permit = await this.#limiters.get(limit)?.acquire({ queueTimeout });
      if (permit !== undefined) this.#held.push(permit);
      send({ probed, limit, admitted: permit?.signal.aborted === false });
    } catch {
      send({ probed, limit, admitted: false });
    }
  }
}
