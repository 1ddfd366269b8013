import { VirtualClock } from '@headgate/test-suite';
import { describe, expect, it } from 'vitest';
import type { LeaseRequest, Op, Reply } from '../../src/index.ts';
import { Memory, memoryStore } from '../../src/memory-store/index.ts';

function scene(maxSize?: number) {
  const clock = new VirtualClock();
  const memory = new Memory({ clock, maxSize });
  const store = memoryStore({ memory, clock, leaseDuration: 1000 });
  const acquire = (name: string, rest: Partial<LeaseRequest> = {}): Op => ({
    verb: 'acquire',
    lease: {
      ref: { name, limit: 1, version: '' },
      id: `${store.owner}.${name}`,
      ...{ weight: 1, resized: false, wait: 0, queueLimit: 0, extraTokens: 0, reserves: false },
      ...rest,
    },
  });
  const keyed = (key: number, rest: Partial<LeaseRequest> = {}) =>
    acquire('keyed', {
      ref: keyedRef(key),
      ...{ id: `${store.owner}.${key}`, ...rest },
    });
  const ask = async (...ops: Op[]) => (await store.send(ops, 1000)) as Reply[];
  return { clock, memory, store, acquire, keyed, ask };
}

const keyedRef = (key: number) => ({ name: 'keyed', key: `${key}`, limit: 1, version: '' });

describe('a memory store', () => {
  it('forgets limits unused for twice the lease duration, a few with each operation', async () => {
    const { clock, memory, acquire, ask } = scene();
    for (let key = 0; key < 100; key++) {
      await ask(acquire('keyed', { ref: { name: 'keyed', key: `${key}`, limit: 1, version: '' } }));
    }
    clock.advance(1999);
    await ask(acquire('other'));
    expect(memory.size).toBe(101);
    clock.advance(1);
    for (let turn = 0; turn < 51; turn++) await ask(acquire('other'));
    expect(memory.size).toBe(1);
    expect(clock.armed).toBe(0);
  });

  it('forgets keys even if a limit with a longer lease was used before them', async () => {
    const { clock, memory, acquire, ask } = scene();
    const slow = memoryStore({ memory, clock, leaseDuration: 3_600_000 });
    await slow.send([acquire('nightly', { id: `${slow.owner}.nightly` })], 1000);
    for (let key = 0; key < 100; key++) {
      await ask(acquire('keyed', { ref: { name: 'keyed', key: `${key}`, limit: 1, version: '' } }));
    }
    clock.advance(2000);
    for (let turn = 0; turn < 60; turn++) await ask(acquire('other'));
    expect(memory.size).toBe(2);
    expect(await slow.stats({ name: 'nightly' })).toMatchObject({ limit: 1, holders: 1 });
  });

  it('reports an idle limit as forgotten, even before a sweep removes it', async () => {
    const { clock, memory, store, acquire, ask } = scene();
    await ask(acquire('one', { ref: { name: 'one', limit: 5, version: '' } }));
    clock.advance(2000);
    expect(memory.size).toBe(1);
    expect(await store.stats({ name: 'one' })).toMatchObject({ limit: 0, holders: 0 });
  });

  it('starts a forgotten limit with new state, even before a sweep removes the old one', async () => {
    const { clock, memory, acquire, ask } = scene();
    const names = ['a', 'b', 'c', 'd', 'e'];
    for (const name of [...names, 'e']) {
      await ask(acquire(name, { ref: { name, limit: 5, version: '' } }));
      clock.advance(1);
    }
    clock.advance(2000);
    const lower = { ref: { name: 'e', limit: 1, version: '' } };
    expect(await ask(acquire('e', lower))).toMatchObject([
      { state: 'held', inflight: 1, limit: 1 },
    ]);
    expect(memory.size).toBe(names.length - 2);
  });

  it('reports a reclaimed lease once, even if statistics were read since it expired', async () => {
    const { clock, store, acquire, ask } = scene();
    await ask(acquire('one'));
    clock.advance(1000);
    for (let call = 0; call < 2; call++) {
      expect(await store.stats({ name: 'one' })).toMatchObject({ holders: 0 });
    }
    const next = acquire('one', { id: `${store.owner}.next` });
    expect(await ask(next, next)).toMatchObject([{ reclaimed: 1 }, { reclaimed: 0 }]);
  });

  it('delivers messages only after the call that caused them has returned', async () => {
    const { store, acquire } = scene();
    const messages: string[] = [];
    store.listen({
      grant: ({ id }) => messages.push(`grant ${id}`),
      recall: ({ name }) => messages.push(`recall ${name}`),
      check: () => messages.push('check'),
      state: () => messages.push('state'),
    });
    const first = acquire('one', { id: `${store.owner}.1`, reserves: true });
    const second = acquire('one', { id: `${store.owner}.2`, wait: 500, queueLimit: 1 });
    const release: Op = { ...(first as Extract<Op, { lease: unknown }>), verb: 'release' };
    const answers = store.send([first, second, release], 1000);
    expect(messages).toEqual([]);
    await answers;
    await Promise.resolve();
    expect(messages).toEqual(['check', 'recall one', `grant ${store.owner}.2`]);
  });

  it('forgets limits without a lease before it refuses one, those unused for longest first', async () => {
    const { memory, store, acquire, keyed, ask } = scene(20);
    await ask(acquire('busy'));
    for (let key = 0; key < 100; key++) {
      const held = keyed(key) as Extract<Op, { lease: unknown }>;
      expect(await ask(held, { ...held, verb: 'release' })).toMatchObject([
        { state: 'held' },
        { state: 'ok' },
      ]);
    }
    expect(memory.size + memory.leases).toBeLessThanOrEqual(20);
    expect(await store.stats({ name: 'keyed', key: '99' })).toMatchObject({ limit: 1 });
    expect(await store.stats({ name: 'keyed', key: '1' })).toMatchObject({ limit: 0 });
    expect(await store.stats({ name: 'busy' })).toMatchObject({ holders: 1 });
  });

  it('refuses a limit that uses as much as it leaves free, and serves the others', async () => {
    const { memory, acquire, keyed, ask } = scene(20);
    for (let key = 0; key < 6; key++)
      expect(await ask(keyed(key))).toMatchObject([{ state: 'held' }]);
    expect(await ask(keyed(6))).toMatchObject([{ error: { code: 'ERR_HEADGATE_STORE_REFUSED' } }]);
    for (const name of ['a', 'b'])
      expect(await ask(acquire(name))).toMatchObject([{ state: 'held' }]);
    expect(memory.size + memory.leases).toBe(16);
    const [first] = [keyed(0) as Extract<Op, { lease: unknown }>];
    expect(await ask({ ...first, verb: 'renew' })).toMatchObject([{ state: 'held' }]);
  });

  it('does not restore a lease that had expired when its limit was forgotten to make room', async () => {
    const { clock, keyed, ask } = scene(4);
    const lease = keyed(0) as Extract<Op, { lease: unknown }>;
    const [{ fencing }] = (await ask(lease)) as [Reply];
    clock.advance(1000);
    await ask({ verb: 'declare', ref: lease.lease.ref });
    for (let key = 1; key < 4; key++) await ask({ verb: 'declare', ref: keyedRef(key) });
    const renewal: Op = { verb: 'renew', lease: { ...lease.lease, fencing } };
    expect(await ask(renewal)).toMatchObject([{ state: 'lost' }]);
    const [{ fencing: next }] = (await ask(lease)) as [Reply];
    expect(next).toBeGreaterThan(fencing as bigint);
  });

  it('throws for invalid options', () => {
    const code = 'ERR_HEADGATE_OPTION';
    expect(() => memoryStore({ leaseDuration: 0 })).toThrow(
      expect.objectContaining({ code, option: 'leaseDuration' }),
    );
    expect(() => memoryStore({ timeout: -1 })).toThrow(
      expect.objectContaining({ code, option: 'timeout' }),
    );
    expect(() => memoryStore({ memory: {} as Memory })).toThrow(
      expect.objectContaining({ code, option: 'memory' }),
    );
    expect(() => memoryStore({ clock: {} as VirtualClock })).toThrow(
      expect.objectContaining({ code, option: 'clock' }),
    );
    expect(() => memoryStore({ leas: 1 } as object)).toThrow(
      expect.objectContaining({ code: 'ERR_HEADGATE_UNKNOWN_OPTION' }),
    );
  });
});

it('a full memory keeps a paused key, and forgets others to make room', async () => {
  const { clock, memory, keyed, ask } = scene(8);
  await ask({ verb: 'declare', ref: keyedRef(0), pause: 60_000 });
  for (let key = 1; key < 100; key++) {
    await ask(keyed(key));
    await ask({ ...keyed(key), verb: 'release' } as Op);
    clock.advance(100);
  }
  expect(memory.size).toBeLessThanOrEqual(8);
  expect(await ask({ verb: 'declare', ref: keyedRef(0) })).toMatchObject([{ pausedFor: 50_100 }]);
});

it('a full memory refuses new leases, and serves those that it has', async () => {
  const store = memoryStore({ memory: new Memory({ maxSize: 2 }) });
  const lease = (id: string) => ({
    ...{ ref: { name: 'full', limit: 9, version: '' }, id: `${store.owner}.${id}`, weight: 1 },
    ...{ resized: false, wait: 0, queueLimit: 0, extraTokens: 0, reserves: false },
  });
  const act = (verb: 'acquire' | 'renew' | 'release', id: string) =>
    store.send([{ verb, lease: lease(id) }], 1_000);
  expect(await act('acquire', 'one')).toMatchObject([{ state: 'held' }]);
  expect(await act('acquire', 'two')).toMatchObject([
    { error: { code: 'ERR_HEADGATE_STORE_REFUSED' } },
  ]);
  expect(await act('renew', 'one')).toMatchObject([{ state: 'held' }]);
  expect(await act('release', 'one')).toMatchObject([{ state: 'ok' }]);
  expect(await act('acquire', 'two')).toMatchObject([{ state: 'held' }]);
});
