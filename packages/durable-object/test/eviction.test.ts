import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { objectName } from '../src/by-object.ts';
import { Participant } from './participant.ts';
import { RunningObjects } from './running-objects.ts';
import { SimulatedObject } from './simulated-object.ts';

/** Milliseconds for which the runtime keeps an idle object in memory, about. */
const EVICTION_MS = 10_000;
const LEASE_MS = 10_000;

describe('a Durable Object that is evicted while it is idle', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: 1_800_000_000_000 }));
  afterEach(() => void vi.useRealTimers());

  /** A limit that has been used, and the time of its last use. */
  async function used(lease = LEASE_MS) {
    const object = new SimulatedObject(lease);
    await object.do('acquire', 'first');
    vi.advanceTimersByTime(50);
    await object.do('release', 'first');
    return { object, lastUsed: Date.now() };
  }

  /** Lets the alarms pass, each of them in a new instance; returns the time at which the limit is forgotten. */
  async function forget(object: SimulatedObject, most = 5): Promise<number> {
    for (let alarm = 0; alarm < most && !object.isForgotten; alarm++) {
      object.evict();
      await object.ring();
    }
    expect(object).toMatchObject({ isForgotten: true, storage: { alarm: Infinity } });
    return Date.now();
  }

  it.each([1_000, 10_000, 30_000])(
    'forgets a limit with leases of %i ms between two and four leases after its last use',
    async (lease) => {
      const { object, lastUsed } = await used(lease);
      const forgotten = await forget(object);
      expect(forgotten).toBeGreaterThanOrEqual(lastUsed + 2 * lease);
      expect(forgotten).toBeLessThanOrEqual(lastUsed + 4 * lease);
    },
  );

  it('forgets a limit whose last lease has expired', async () => {
    const object = new SimulatedObject(LEASE_MS);
    await object.do('acquire', 'abandoned');
    expect(await forget(object)).toBe(1_800_000_000_000 + 3 * LEASE_MS);
  });

  it('forgets a limit after two leases if the first alarm reaches the same instance', async () => {
    const { object, lastUsed } = await used();
    await object.ring();
    expect(await forget(object)).toBe(lastUsed + 2 * LEASE_MS);
  });

  it('forgets a limit that was saved by an earlier release', async () => {
    const object = new SimulatedObject(LEASE_MS);
    const times = { longestLease: LEASE_MS, lastToken: '18', lastPlace: 0, born: '17' };
    const record = JSON.stringify({ limit: 1, version: 1, ...times });
    object.storage.tables.set('memory', new Map([['1', record]])).set('leases', new Map());
    object.storage.alarm = Date.now() + LEASE_MS;
    expect(await forget(object)).toBe(1_800_000_000_000 + 3 * LEASE_MS);
  });

  it.each([EVICTION_MS / 2, 1.5 * EVICTION_MS])(
    'forgets a limit whose statistics are read every %i ms',
    async (interval) => {
      const { object, lastUsed } = await used(30_000);
      while (!object.isForgotten && Date.now() < lastUsed + 10 * 30_000) {
        const next = Date.now() + interval;
        while (object.storage.alarm <= next) {
          object.evict();
          await object.ring();
        }
        vi.setSystemTime(next);
        object.evict();
        await object.stats();
      }
      expect(object.isForgotten).toBe(true);
      expect(Date.now()).toBeLessThanOrEqual(lastUsed + 4 * 30_000 + interval);
    },
  );

  it.each(['acquire', 'release', 'renew'] as const)(
    'counts the idle time from the last operation, such as %s',
    async (verb) => {
      const { object } = await used();
      object.evict();
      await object.ring();
      vi.advanceTimersByTime(2 * LEASE_MS - 100);
      object.evict();
      await object.do(verb, 'later');
      await object.do('release', 'later');
      const lastUsed = Date.now();
      expect(await forget(object)).toBeGreaterThanOrEqual(lastUsed + 2 * LEASE_MS);
    },
  );

  it('keeps a rejecting limit rejecting until it is forgotten', async () => {
    const object = new SimulatedObject(LEASE_MS);
    await object.operate({ status: 'rejecting' });
    object.evict();
    await object.ring();
    object.evict();
    expect(await object.do('acquire', 'early')).toMatchObject({ state: 'full' });
    await forget(object);
    expect(await object.do('acquire', 'late')).toMatchObject({ state: 'held' });
  });

  it('writes no additional rows for a permit after it was found idle', async () => {
    const { object } = await used();
    object.evict();
    await object.ring();
    const before = object.storage.rows;
    await object.do('acquire', 'later');
    await object.do('release', 'later');
    expect(object.storage.rows - before).toBe(3);
  });

  it('reports once a lease that an alarm of an earlier instance has reclaimed', async () => {
    const object = new SimulatedObject(LEASE_MS);
    await object.do('acquire', 'abandoned');
    await object.ring();
    object.evict();
    expect(await object.stats()).toMatchObject({ holders: 0 });
    object.evict();
    expect(await object.do('acquire', 'next')).toMatchObject({ state: 'held', reclaimed: 1 });
    object.evict();
    expect(await object.do('release', 'next')).toMatchObject({ reclaimed: 0 });
  });

  it('reports once a lease that a request for statistics has reclaimed', async () => {
    const object = new SimulatedObject(LEASE_MS);
    await object.do('acquire', 'abandoned');
    vi.advanceTimersByTime(LEASE_MS);
    expect(await object.stats()).toMatchObject({ holders: 0 });
    object.evict();
    expect(await object.do('acquire', 'next')).toMatchObject({ state: 'held', reclaimed: 1 });
    expect(await object.do('release', 'next')).toMatchObject({ reclaimed: 0 });
  });
});

describe('a Durable Object of workerd', { timeout: 30_000 }, () => {
  const limit = { name: 'evicted' };
  const leaseDuration = 1_200;
  let objects: RunningObjects;
  let participant: Participant;

  beforeAll(async () => {
    objects = await RunningObjects.start();
    participant = new Participant(objects, limit, leaseDuration);
  });
  afterAll(async () => {
    await participant.store.close();
    await objects.stop();
  });

  it('forgets an unused limit although it is evicted before each alarm', async () => {
    await participant.do('acquire', 'held');
    await participant.do('release', 'held');
    const deadline = Date.now() + 10 * leaseDuration;
    do {
      await objects.evict(objectName(limit));
      await new Promise((resolve) => setTimeout(resolve, 300));
    } while ((await participant.stats()).limit !== 0 && Date.now() < deadline);
    expect(await participant.stats()).toMatchObject({ limit: 0 });
  });
});
