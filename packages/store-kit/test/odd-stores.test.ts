import { call } from '@headgate/test-kit/caller';
import { expect, test, vi } from 'vitest';
import type { Answer, Grant, Op, StoreListener } from '../src/index.ts';
import { lease, outcome, refused, scene, settled, TestStore, timeout, World } from './world.ts';

/** A store that returns invalid answers. */
class InvalidStore extends TestStore {
  nonsense: unknown;
  override async send(ops: readonly Op[]): Promise<Answer[]> {
    return this.nonsense === undefined ? super.send(ops) : (this.nonsense as Answer[]);
  }
}

test.each([
  ['nothing', []],
  ['null', [null]],
  ['a string', ['held']],
  ['an empty object', [{}]],
  ['an unknown state', [{ state: undefined, limit: Number.NaN }]],
  ['null instead of a list', null],
])(
  'a store that returns %s counts as unavailable until its answers are valid again',
  async (_, nonsense) => {
    const world = new World();
    const store = world.connect({}, InvalidStore);
    const limiter = world.limiter({ store });
    store.nonsense = nonsense;
    const asked = outcome(limiter.acquire());
    await world.advance(timeout);
    expect(asked.error).toMatchObject({
      code: 'ERR_HEADGATE_STORE_DOWN',
      rejection: { reason: 'store' },
    });
    store.nonsense = undefined;
    await world.advance(2 * timeout);
    (await limiter.acquire()).release();
    await world.advance(lease);
    expect(await world.stats()).toMatchObject({ inflight: 0, queued: 0 });
  },
);

/** A store that delivers each message twice, and all of them again on request. */
class DuplicatingStore extends TestStore {
  readonly #grants: Grant[] = [];
  override listen(listener: StoreListener): () => void {
    const grant = (message: Grant) => {
      this.#grants.push(message);
      listener.grant(message);
      listener.grant(message);
    };
    return super.listen({
      grant,
      recall: (ref) => listener.recall(ref),
      operated: (ref) => listener.operated?.(ref),
      check: () => listener.check(),
      state: (up) => listener.state(up),
    });
  }
  repeat(): void {
    for (const message of [...this.#grants]) this.listener?.grant(message);
  }
}

test('a recall for one limit does not affect the reserve of another', async () => {
  const world = new World();
  const options = { store: world.connect({ reserve: 1 }), limit: 2 };
  const [wanted, quiet] = [
    world.limiter({ ...options, name: 'wanted' }),
    world.limiter({ ...options, name: 'quiet' }),
  ];
  for (const limiter of [wanted, quiet]) (await limiter.acquire()).release();
  await settled();
  const other = world.limiter({ name: 'wanted', limit: 2 });
  const all = [outcome(other.acquire()), outcome(other.acquire())];
  await settled();
  expect(all.map(({ permit }) => permit !== undefined)).toEqual([true, true]);
  expect((await world.stats('quiet')).holders).toBe(1);
  for (const { permit } of all) permit?.release();
});

test('a recall has no effect on a limit that is not in use yet', async () => {
  const world = new World();
  const store = world.connect({ reserve: 1 });
  const [used, unused] = [
    world.limiter({ store, name: 'used' }),
    world.limiter({ store, name: 'unused', limit: 2 }),
  ];
  (await used.acquire()).release();
  store.listener?.recall({ name: 'unused' });
  (await unused.acquire()).release();
  await settled();
  expect((await world.stats('unused')).holders).toBe(1);
  await unused.close();
});

test('a duplicated message grants one permit', async () => {
  const world = new World();
  const store = world.connect({}, DuplicatingStore);
  const limiter = world.limiter({ store });
  const held = await world.limiter().acquire();
  const first = call(limiter);
  const second = call(limiter);
  await settled();
  held.release();
  await settled();
  expect([first.answers, second.answers]).toEqual([1, 0]);
  first.permit?.release();
  await settled();
  store.repeat();
  expect([first.answers, second.answers, limiter.inflight]).toEqual([1, 1, 1]);
  second.permit?.release();
});

test('the first waiter calls the store as soon as the lease of a dead process may have expired', async () => {
  const world = new World();
  const dead = world.connect();
  await world.limiter({ store: dead }).acquire();
  dead.trouble = 'silent';
  await world.advance(lease - 500);
  const store = world.connect();
  const limiter = world.limiter({ store });
  const first = outcome(limiter.acquire());
  const second = outcome(limiter.acquire());
  await settled();
  store.calls.length = 0;
  await world.advance(450);
  expect(store.calls).toEqual([]);
  await world.advance(100);
  expect(store.calls).toEqual([['stay']]);
  expect([first.permit !== undefined, second.permit !== undefined]).toEqual([true, false]);
  first.permit?.release();
  await settled();
  second.permit?.release();
});

test.each([
  ['without setImmediate', 'setImmediate', undefined],
  ['on Cloudflare Workers', 'navigator', { userAgent: 'Cloudflare-Workers' }],
])('%s, the operations of one callback are sent together', async (_, name, value) => {
  vi.stubGlobal(name, value);
  vi.resetModules();
  const { Coalescer } = await import('../src/lease/batch.ts');
  vi.unstubAllGlobals();
  const gone: string[][] = [];
  let wanted: string[] = [];
  const turn = new Coalescer(() => {
    gone.push(wanted);
    wanted = [];
  });
  const want = (what: string) => {
    wanted.push(what);
    turn.soon();
  };
  want('a');
  want('b');
  await Promise.resolve();
  want('c');
  await Promise.resolve();
  expect(gone).toEqual([['a', 'b'], ['c']]);
});

/** A store that refuses to register permits until the test allows it. */
class RefusingStore extends TestStore {
  refuses = true;
  override async send(ops: readonly Op[]): Promise<Answer[]> {
    const isRefused = this.refuses && ops.some(({ verb }) => verb === 'register');
    const answers = await super.send(isRefused ? [] : ops);
    if (isRefused) this.calls.push(['refused']);
    return isRefused ? ops.map(() => ({ error: refused })) : answers;
  }
}

test('a permit granted without the store is registered again after the store has refused it', async () => {
  const world = new World();
  const store = world.connect({}, RefusingStore);
  const limiter = world.limiter({ store, onStoreError: 'admit' });
  store.trouble = 'silent';
  const unregistered = outcome(limiter.acquire());
  await world.advance(timeout);
  store.trouble = undefined;
  await world.advance(2 * timeout);
  expect(store.calls.flat()).toContain('refused');
  expect(await world.stats()).toMatchObject({ inflight: 0 });
  store.refuses = false;
  await world.advance(lease / 2);
  // Registered again with the next answer to any request.
  const next = outcome(limiter.acquire());
  await settled();
  unregistered.permit?.release();
  next.permit?.release();
  await settled();
  expect(store.calls.flat()).toContain('register');
  await world.advance(lease);
  expect(await world.stats()).toMatchObject({ inflight: 0, queued: 0 });
});

test('permits granted while the store refuses calls are registered with its next answer for the key', async () => {
  const { world, store, limiter } = scene({ perKey: true, limit: 9, onStoreError: 'admit' });
  store.trouble = 'refused';
  const held = [await limiter.acquire({ key: 'a' }), await limiter.acquire({ key: 'b' })];
  await settled();
  store.trouble = undefined;
  const inflight = async (key: string) => (await world.stats('renders', key)).inflight;
  held.push(await limiter.acquire({ key: 'a' }));
  await settled();
  expect([await inflight('a'), await inflight('b')]).toEqual([2, 0]);
  held.push(await limiter.acquire({ key: 'b' }));
  await settled();
  expect([await inflight('a'), await inflight('b')]).toEqual([2, 2]);
  for (const permit of held) permit.release();
  await settled();
  expect([await inflight('a'), await inflight('b')]).toEqual([0, 0]);
});

/** A store whose first probe never ends. */
class SilentStore extends InvalidStore {
  #probes = 0;
  override stats(...ref: Parameters<InvalidStore['stats']>) {
    return this.#probes++ === 0 ? new Promise<never>(() => {}) : super.stats(...ref);
  }
}

test('a store becomes available again even if a probe never ended', async () => {
  const world = new World();
  const store = world.connect({}, SilentStore);
  const limiter = world.limiter({ store });
  store.nonsense = [];
  await expect(limiter.acquire()).rejects.toMatchObject({ rejection: { reason: 'store' } });
  store.nonsense = undefined;
  await world.advance(3 * timeout);
  await expect(limiter.acquire()).rejects.toMatchObject({ rejection: { reason: 'store' } });
  await world.advance(2 * timeout);
  (await limiter.acquire()).release();
});
