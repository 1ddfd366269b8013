import { createLimiter, type Permit } from '@headgate/core';
import type { Measurable } from '@headgate/core/metrics';
import {
  type Answer,
  type Op,
  Store,
  StoreError,
  type StoreListener,
  type StoreStats,
} from '@headgate/store-kit';
import { Memory, memoryStore } from '@headgate/store-kit/memory-store';
import { VirtualClock } from '@headgate/test-suite';
import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { instrument } from '../src/index.ts';

/** The values of the series of stores: by metric, without its prefix, and reason. */
async function scrape(register: Registry, store: string): Promise<Record<string, number>> {
  const values: Record<string, number> = {};
  for (const line of (await register.metrics()).split('\n')) {
    const [, metric = '', labels = '', value] =
      /^headgate_store_(\w+){(.*)} (.+)$/.exec(line) ?? [];
    if (!labels.includes(`headgate_store_name="${store}"`)) continue;
    const reason = /headgate_reason="(\w+)"/.exec(labels)?.[1];
    values[reason === undefined ? metric : `${metric} ${reason}`] = Number(value);
  }
  return values;
}

/** A store without a server, whose messages the test sends. */
class OwnStore extends Store {
  readonly can = { recall: true };
  listener: StoreListener | undefined;
  error: StoreError | undefined;

  constructor(clock: VirtualClock) {
    super({ leaseDuration: 3_000, timeout: 1_000, clock });
  }

  async send(ops: readonly Op[]): Promise<Answer[]> {
    const error = this.error ?? new StoreError('ERR_HEADGATE_STORE_REFUSED', 'refused');
    return ops.map(() => ({ error }));
  }

  listen(listener: StoreListener): () => void {
    this.listener = listener;
    return () => {};
  }

  async stats(): Promise<StoreStats> {
    throw this.error;
  }

  async close(): Promise<void> {}
}

const observer = { store() {}, slowed() {} };

describe('a store', () => {
  it('reports the calls, and the lost and reclaimed leases, of all its limits, once', async () => {
    const [clock, serverClock] = [new VirtualClock(), new VirtualClock()];
    const memory = new Memory({ clock: serverClock });
    const times = { memory, leaseDuration: 3_000 };
    const store = memoryStore({ ...times, clock, name: 'leases' });
    const other = memoryStore({ ...times, clock: serverClock });
    const names = ['one', 'two'];
    const own = names.map((name) => createLimiter({ name, limit: 1, store, clock }));
    for (const limiter of own) limiter.observe(observer);
    const others = names.map((name) =>
      createLimiter({ name, limit: 1, store: other, clock: serverClock }),
    );
    const register = new Registry();
    instrument([store, ...own], { register });
    expect(await scrape(register, 'leases')).toEqual({
      ...{ 'impaired down': 0, 'impaired muted': 0, 'impaired slowed': 0 },
      ...{ calls_total: 0, errors_total: 0, permits_lost_total: 0, leases_reclaimed_total: 0 },
    });
    const lose = async (index: number) => {
      const permit = (await own[index]?.acquire()) as Permit;
      serverClock.advance(3_001);
      const taken = await others[index]?.acquire();
      clock.advance(3_001);
      permit.release();
      serverClock.advance(3_001);
      await own[index]?.run(() => {});
      taken?.release();
    };
    await lose(0);
    await lose(1);
    const values = await scrape(register, 'leases');
    expect(values).toMatchObject({
      permits_lost_total: 2,
      leases_reclaimed_total: 2,
      errors_total: 0,
    });
    expect(values.calls_total).toBeGreaterThanOrEqual(4);
    expect(values.latency_seconds).toBe(0);
    const totals = own.map((limiter) => limiter.stats().distributed);
    expect(totals).toMatchObject([
      { lost: 1, reclaimed: 1 },
      { lost: 1, reclaimed: 1 },
    ]);
    // A closed limiter takes its own totals with it; the store keeps them.
    await Promise.all([...own, ...others].map((limiter) => limiter.close()));
    expect(await scrape(register, 'leases')).toMatchObject({ permits_lost_total: 2 });
  });

  it('reports why it is impaired, until it has recovered', async () => {
    const clock = new VirtualClock();
    const store = new OwnStore(clock);
    const limiter = createLimiter({ name: 'app', limit: 1, store, clock });
    limiter.observe(observer);
    const register = new Registry();
    instrument(store, { register });
    const impaired = async () => {
      const values = Object.entries(await scrape(register, 'store'));
      return values.filter(([name, value]) => name.startsWith('impaired') && value === 1).join();
    };
    await limiter.acquire().catch(() => {});
    expect(await impaired()).toBe('');
    // The second call releases the lease that the refused one may have left.
    expect(await scrape(register, 'store')).toMatchObject({ calls_total: 2, errors_total: 2 });
    store.listener?.slowed?.('dead rows');
    expect(await impaired()).toBe('impaired slowed,1');
    store.listener?.slowed?.(undefined);
    store.listener?.muted?.(new StoreError('ERR_HEADGATE_STORE_DOWN', 'no messages'));
    expect(await impaired()).toBe('impaired muted,1');
    store.listener?.muted?.(undefined);
    expect(await impaired()).toBe('');
    store.error = new StoreError('ERR_HEADGATE_STORE_TIMEOUT', 'no answer in time');
    await limiter.acquire().catch(() => {});
    expect(await impaired()).toBe('impaired down,1');
    // It leaves the store at once, and would then wait until the store confirms its releases.
    void limiter.close();
    expect(await impaired()).toBe('');
  });

  it('is removed by its function, or automatically once it was closed and collected once more', async () => {
    const register = new Registry();
    const remove = instrument(memoryStore(), { register });
    expect(Object.keys(await scrape(register, 'memory'))).toHaveLength(7);
    remove();
    remove();
    expect(register.getMetricsAsArray()).toEqual([]);
    const [store, next] = [memoryStore(), memoryStore()];
    instrument(store, { register });
    await store.close();
    instrument(next, { register });
    await next.close();
    expect(Object.keys(await scrape(register, 'memory'))).toHaveLength(7);
    expect(register.getMetricsAsArray()).toEqual([]);
  });

  it('can be added only once, under a unique name, with limits or without', () => {
    const register = new Registry();
    const add = (limits: unknown) => () => instrument(limits as Measurable[], { register });
    const duplicate = { code: 'ERR_HEADGATE_DUPLICATE_NAME', option: 'limit' };
    const store = memoryStore();
    instrument(store, { register });
    expect(add(store)).toThrow(expect.objectContaining(duplicate));
    expect(add(store)).toThrow('a store "memory" is measured here already: add it once');
    expect(add(memoryStore())).toThrow('give the stores different names');
    const named = memoryStore({ name: 'other' });
    expect(add([named, store])).toThrow(expect.objectContaining(duplicate));
    add([named, createLimiter({ name: 'memory', limit: 1 })])();
    const wrong = { code: 'ERR_HEADGATE_OPTION', option: 'limit' };
    expect(add({ name: 'own', activity: 5 })).toThrow(expect.objectContaining(wrong));
    expect(add({ activity: () => store.activity() })).toThrow(expect.objectContaining(wrong));
    expect(() => memoryStore({ name: '' })).toThrow('name must be a string that is not empty');
  });
});
