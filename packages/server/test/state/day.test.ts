import { collectGarbage } from '@headgate/test-kit/collect-garbage';
import { expect, it } from 'vitest';
import { randomOf } from '../fuzz/mutate.ts';
import { World } from './world.ts';

const hour = 3_600_000;
const expiresIn = hour / 4;
const step = 10_000;
const population = 10_000;
const names = Array.from({ length: 20 }, (_, i) => `semaphore ${i}`);

it('the state leaks no memory in a day with 10,000 peers, many of which vanish', () => {
  const semaphores = Object.fromEntries(names.map((name) => [name, 100] as const));
  const world = new World(semaphores, { maxPeers: 2 * population, maxBlocked: population });
  const day = new Day(world, randomOf(7));
  day.until(4 * hour);
  const early = heap();
  day.until(24 * hour);
  // There are as many peers as twenty hours ago; a single byte leaked per removed peer would add up to megabytes.
  expect(heap() - early).toBeLessThan(1e6);
  const gone = world.expired.reduce((sum, peers) => sum + peers, 0);
  expect(gone).toBeGreaterThan(100_000);
  expect(day.granted).toBeGreaterThan(50_000);
  world.pass(expiresIn);
  expect(world.state.size).toEqual({ peers: 0, expiries: 0, waits: 0, semaphores: names.length });
  expect(world.state.next).toBe(Infinity);
  for (const { remainder, pending, isIdle } of world.state.semaphores()) {
    expect([remainder, pending, isIdle]).toEqual([100n, 0n, true]);
  }
});

/** Ten thousand clients, each acting about every ten minutes. */
class Day {
  granted = 0;
  readonly #peers: bigint[] = [];

  constructor(
    private readonly world: World,
    private readonly random: () => number,
  ) {}

  until(instant: number): void {
    const { world } = this;
    while (world.now < instant) {
      world.pass(step);
      for (let i = 0; i < population / 60; i++) this.#act();
      expect(world.state.size.peers).toBeLessThanOrEqual(2 * population);
    }
  }

  #act(): void {
    const { random, world } = this;
    const index = Math.floor(random() * population);
    const peer = this.#peers[index];
    const name = names[Math.floor(random() * names.length)] as string;
    const choice = random();
    // The client vanishes, and a new one replaces it.
    if (peer === undefined || choice < 0.2) this.#peers[index] = world.peer(expiresIn);
    else if (choice < 0.4) world.state.heartbeat(peer, expiresIn);
    else if (choice < 0.6) world.state.releaseLock(peer, name);
    else if (choice < 0.65) world.state.deletePeer(peer);
    else this.#acquire(peer, name);
  }

  #acquire(peer: bigint, name: string): void {
    const count = BigInt(1 + Math.floor(this.random() * 3));
    const request = { peer, semaphore: name, count, expiresIn };
    const answer = this.world.state.acquire(request);
    if (answer === true) this.granted += 1;
    if (answer !== false) return;
    this.world.state.wait(request, this.random() * hour, (acquired) => {
      if (acquired === true) this.granted += 1;
    });
  }
}

/** Bytes in use after a garbage collection. */
function heap(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}
