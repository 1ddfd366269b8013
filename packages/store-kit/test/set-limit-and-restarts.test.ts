import type { Limiter, Permit } from '@headgate/core';
import { collectWarnings } from '@headgate/test-kit/warnings';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { settled, timeout, World } from './world.ts';

/** Acquires and releases, so that the process knows what the store has. */
async function use(limiter: Limiter, key?: string): Promise<number> {
  (await limiter.acquire({ key })).release();
  await settled();
  return limiter.limit;
}

/** A permit that is admitted once the store has not answered in time. */
async function admitted(world: World, limiter: Limiter): Promise<Permit> {
  const acquired = limiter.acquire();
  await world.advance(2 * timeout);
  return acquired;
}

test('a process that starts neither undoes a limit that was set nor warns of a conflict', async () => {
  const warnings = collectWarnings();
  const world = new World();
  const [one, two] = [world.limiter({ limit: 20 }), world.limiter({ limit: 20 })];
  await use(one);
  one.setLimit(2);
  await settled();
  expect([await use(two), await use(world.limiter({ limit: 20 }))]).toEqual([2, 2]);
  expect(one.stats()).toMatchObject({ limit: 2, distributed: { declared: 20 } });
  one.setLimit(20);
  await settled();
  expect([await use(two), (await one.storeStats?.())?.limit]).toEqual([20, 20]);
  expect(warnings).toEqual([]);
});

test('a limit set before any request applies to a process that starts later', async () => {
  const world = new World();
  world.limiter({ limit: 20 }).setLimit(2);
  await settled();
  expect(await use(world.limiter({ limit: 20 }))).toBe(2);
});

test('a conflict of declared numbers is reported once the set limit is cleared', async () => {
  const world = new World();
  const conflicts: unknown[] = [];
  const observer = { conflict: (event: unknown) => void conflicts.push(event) };
  const old = world.limiter({ limit: 20, observer });
  const deployed = world.limiter({ limit: 30, observer: { conflict: () => {} } });
  await use(deployed);
  await use(old);
  await use(deployed);
  deployed.setLimit(2);
  expect(await use(old)).toBe(2);
  expect(conflicts).toEqual([]);
  deployed.setLimit(30);
  await settled();
  expect(await use(old)).toBe(30);
  expect(conflicts).toEqual([{ name: 'renders', declared: 20, limit: 30 }]);
});

test('a process can also clear a set limit by setting the number that a newer process declares', async () => {
  const world = new World();
  const observer = { conflict: () => {} };
  const old = world.limiter({ limit: 20, observer });
  await use(old);
  const deployed = world.limiter({ limit: 30, observer });
  await use(deployed);
  deployed.setLimit(2);
  await use(old);
  old.setLimit(30);
  expect(await use(deployed)).toBe(30);
  // No limit is set any more, so the latest declaration applies.
  expect(await use(world.limiter({ limit: 20 }))).toBe(20);
});

test("a process without requests shows the limit of the store once it has read the store's statistics", async () => {
  const world = new World();
  const store = world.connect();
  const idle = world.limiter({ limit: 20, store, observer: { conflict: () => {} } });
  const unused = world.limiter({ limit: 20 });
  await use(idle);
  await use(world.limiter({ limit: 30 }));
  expect(idle.limit).toBe(20);
  for (const limiter of [idle, unused]) await limiter.storeStats?.();
  await settled();
  // Reading declares nothing.
  expect([idle.limit, unused.limit, (await world.stats()).limit]).toEqual([30, 20, 30]);
  store.calls.length = 0;
  await idle.storeStats?.();
  await idle.close();
  await idle.storeStats?.();
  await settled();
  expect(store.calls).toEqual([['stats'], ['stats']]);
});

test.each(['local', 'admit'] as const)(
  'a set limit survives an outage with "%s" in which the store loses its state',
  async (onStoreError) => {
    const world = new World();
    const store = world.connect();
    const one = world.limiter({ limit: 20, store, onStoreError });
    await use(one);
    one.setLimit(2);
    await settled();
    store.trouble = 'silent';
    const held = await Promise.all([admitted(world, one), admitted(world, one)]);
    expect(one.limit).toBe(2);
    world.memory.wipe();
    await use(world.limiter({ limit: 20, store: world.connect() }));
    store.trouble = undefined;
    await world.advance(4 * timeout);
    expect(one.stats().distributed?.up).toBe(true);
    for (const permit of held) permit.release();
    expect([await use(one), (await world.stats()).limit]).toEqual([2, 2]);
    expect(await use(world.limiter({ limit: 20 }))).toBe(2);
  },
);

test('with keys, a process that starts adopts the set limit, even for a key that it uses first', async () => {
  const world = new World();
  const one = world.limiter({ limit: 20, perKey: true });
  await use(one, 'used');
  one.setLimit(2);
  await settled();
  const started = world.limiter({ limit: 20, perKey: true });
  for (let count = 0; count < 2; count++) await use(started, 'used');
  const held = await started.acquire({ key: 'unused' });
  await settled();
  expect([started.limit, (await started.storeStats?.('used'))?.limit]).toEqual([2, 2]);
  (await started.acquire({ key: 'unused' })).release();
  expect((await started.storeStats?.('unused'))?.limit).toBe(2);
  held.release();
});

test('a limit of one key remains when a process that declares the common limit starts', async () => {
  const world = new World();
  const one = world.limiter({ limit: 2, perKey: true });
  await use(one, 'free');
  await world.advance(10);
  const held = [await one.acquire({ key: 'gold', limit: 5 })];
  const started = world.limiter({ limit: 2, perKey: true });
  for (let count = 1; count < 5; count++) held.push(await started.acquire({ key: 'gold' }));
  expect((await started.storeStats?.('gold'))?.limit).toBe(5);
  for (const permit of held) permit.release();
});

interface Deployment {
  /** Numbers of the processes that run when the limit is set. */
  readonly fleet: readonly number[];
  readonly steps: readonly Step[];
  /** The same after the deployment of another number. */
  readonly later: readonly Step[];
}

interface Step {
  readonly does: 'use' | 'restart' | 'start' | 'lose';
  readonly at: number;
}

const step = fc.record({
  does: fc.constantFrom('use', 'use', 'restart', 'start', 'lose') as fc.Arbitrary<Step['does']>,
  at: fc.nat(9),
});
const deployment: fc.Arbitrary<Deployment> = fc.record({
  fleet: fc.array(fc.constantFrom(20, 30), { minLength: 1, maxLength: 4 }),
  steps: fc.array(step, { maxLength: 12 }),
  later: fc.array(step, { maxLength: 8 }),
});

/** Processes of a rolling deployment, which start and restart in any order. */
class Fleet {
  readonly world = new World();
  readonly running: { number: number; limiter: Limiter }[] = [];

  async start(number: number): Promise<void> {
    const observer = { conflict: () => {} };
    const limiter = this.world.limiter({ limit: number, observer });
    this.running.push({ number, limiter });
    await use(limiter);
  }

  /** The first process, where the operator is, never restarts, so that one process knows what was set. */
  async step({ does, at }: Step): Promise<void> {
    const { number, limiter } = this.#at(at);
    if (does === 'use') await use(limiter);
    if (does === 'start') await this.start(number);
    if (does === 'restart' && limiter !== this.running[0]?.limiter) {
      await limiter.close();
      this.running.splice(at % this.running.length, 1);
      await this.start(number);
    }
    if (does !== 'lose') return;
    await this.world.advance(20);
    this.world.memory.wipe();
    await this.start(number);
    await use(this.#at(0).limiter);
  }

  #at(index: number) {
    return this.running[index % this.running.length] as (typeof this.running)[0];
  }

  /** The limit as each process shows it. */
  async limits(): Promise<number[]> {
    for (const { limiter } of this.running) await use(limiter);
    return [...new Set(this.running.map(({ limiter }) => limiter.limit))];
  }
}

test('a set limit survives starts, restarts and a loss of state, until a process declares another number', async () => {
  const property = fc.asyncProperty(deployment, async ({ fleet, steps, later }) => {
    const processes = new Fleet();
    for (const number of fleet) await processes.start(number);
    processes.running[0]?.limiter.setLimit(2);
    await settled();
    for (const each of steps) {
      await processes.step(each);
      expect((await processes.world.stats()).limit).toBe(2);
    }
    expect(await processes.limits()).toEqual([2]);
    await processes.start(40);
    expect(await processes.limits()).toEqual([40]);
    for (const each of later) await processes.step(each);
    expect(await processes.limits()).not.toEqual([2]);
  });
  await fc.assert(property, { numRuns: 200 });
});
