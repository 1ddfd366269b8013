import { Memory, memoryStore } from '@headgate/store-kit/memory-store';
import { expect, it } from 'vitest';
import type { SuiteOptions } from '../framework.ts';
import { ok, Paused } from '../kit/handlers.ts';
import { collectWarnings } from '../kit/output.ts';
import { counts, until } from '../kit/until.ts';
import type { World } from '../kit/world.ts';
import { faultyStore } from '../store/faulty-store.ts';

export function distributed(world: World): void {
  /** Two apps with one store state, as in two processes. */
  async function two(options: (store: SuiteOptions['store']) => SuiteOptions) {
    const memory = new Memory();
    const work = new Paused();
    const make = async () => {
      const limit = world.limit(options(memoryStore({ memory })));
      return { limit, app: await world.serve({ use: limit }, { handle: work.handler }) };
    };
    return { work, a: await make(), b: await make() };
  }

  it('apply to all processes together, in order of arrival', async () => {
    const { work, a, b } = await two((store) => ({ name: 'all', limit: 1, store, queueLimit: 5 }));
    const calls = [a.app.call('/1')];
    await work.begins(1);
    for (const [path, { app, limit }] of [
      ['/2', b],
      ['/3', a],
      ['/4', b],
    ] as const) {
      calls.push(app.call(path));
      const before = limit.queued;
      await until(() => limit.queued > before);
    }
    for (let done = 1; done <= 4; done++) {
      await work.begins(done);
      expect(work.begun).toHaveLength(done);
      work.finish();
    }
    for (const call of calls) expect(await call.answer()).toMatchObject({ status: 200 });
    expect(work.paths).toEqual(['/1', '/2', '/3', '/4']);
  });

  it('reject requests beyond the queue of all processes', async () => {
    const { work, a, b } = await two((store) => ({ name: 'all', limit: 1, store, queueLimit: 1 }));
    const calls = [a.app.call(), a.app.call()];
    await counts(a.limit, 1, 1);
    const { status, headers } = await b.app.call().answer();
    expect(status).toBe(503);
    expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1);
    work.finishAll();
    for (const call of calls) expect(await call.answer()).toMatchObject({ status: 200 });
  });

  it('combine with limits of one process', async () => {
    const { work, a, b } = await two((store) => ({
      limits: [
        { name: 'user', limit: 1, key: ({ header }) => header('x-user') },
        { name: 'all', limit: 2, store },
      ],
      queueLimit: 5,
    }));
    const as = (user: string) => ({ headers: { 'X-User': user } });
    const calls = [a.app.call('/', as('ann')), a.app.call('/', as('ann'))];
    await counts(a.limit, 1, 1);
    calls.push(b.app.call('/', as('ann')));
    await work.begins(2);
    calls.push(b.app.call('/', as('bob')));
    await counts(b.limit, 1, 1);
    work.finishAll();
    for (const call of calls) expect(await call.answer()).toMatchObject({ status: 200 });
  });

  it('do not change the common limit of other processes if each request sets its own limit', async () => {
    const memory = new Memory();
    const store = memoryStore({ memory });
    const called = async (limit: number | (() => number), key: string, used = store) => {
      const use = world.limit({ limits: [{ name: 'user', limit, key: () => key, store: used }] });
      const app = await world.serve({ use }, { handle: ok });
      return app.call().answer();
    };
    expect(await called(5, 'ann')).toMatchObject({ status: 200 });
    expect(await called(() => 2, 'bob', memoryStore({ memory }))).toMatchObject({ status: 200 });
    expect(await store.stats({ name: 'user', key: 'bob' })).toMatchObject({ limit: 2 });
    expect(await store.stats({ name: 'user' })).toMatchObject({ limit: 5 });
  });

  it('remove a disconnected client from the queue', async () => {
    const { work, a, b } = await two((store) => ({ name: 'all', limit: 1, store, queueLimit: 1 }));
    const first = a.app.call();
    await work.begins(1);
    const gone = b.app.call();
    await counts(b.limit, 0, 1);
    gone.abort();
    await counts(b.limit, 0, 0);
    const next = a.app.call();
    await counts(a.limit, 1, 1);
    work.finishAll();
    for (const call of [first, next]) expect(await call.answer()).toMatchObject({ status: 200 });
    expect(work.begun).toHaveLength(2);
    expect(b.limit.stats()).toMatchObject({ withdrawn: 1 });
  });

  it('remove a client that disconnects before the store has replied', async () => {
    const store = faultyStore(memoryStore());
    const limit = world.limit({ name: 'all', limit: 1, store, queueLimit: 1 });
    const app = await world.serve({ use: limit }, { handle: ok });
    const before = store.calls;
    store.faults = { call: () => ({ delay: 300 }) };
    const gone = app.call();
    await until(() => store.calls > before);
    gone.abort();
    await until(() => limit.stats().withdrawn === 1);
    store.faults = {};
    expect(await app.call().answer()).toMatchObject({ status: 200 });
  });

  it('give the handler a fencing token and a signal', async () => {
    const limit = world.limit({ name: 'all', limit: 1, store: memoryStore() });
    const app = await world.serve(
      { use: limit },
      {
        handle: ({ admission, send }) => {
          const { fencing, signal } = admission?.permit ?? {};
          send(200, `${typeof fencing} ${signal?.aborted}`);
        },
      },
    );
    expect(await app.call().answer()).toMatchObject({ body: 'bigint false' });
  });

  it.each([
    ['reject', 503],
    ['admit', 200],
    ['local', 200],
  ] as const)(
    '%s during a store outage',
    async (onStoreError: SuiteOptions['onStoreError'], expected) => {
      const warnings = collectWarnings('HEADGATE_STORE');
      const store = faultyStore(memoryStore({ timeout: 50 }));
      store.faults = { call: () => 'drop' };
      const limit = world.limit({ name: 'all', limit: 1, store, onStoreError });
      const app = await world.serve({ use: limit }, { handle: ok });
      for (let i = 0; i < 3; i++) {
        const { status, headers, body } = await app.call().answer();
        expect(status).toBe(expected);
        if (expected === 200) continue;
        expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1);
        expect(JSON.parse(body)).toMatchObject({ reason: 'store' });
      }
      store.faults = {};
      await until(() => limit.stats().limits[0]?.distributed?.up === true);
      expect(await app.call().answer()).toMatchObject({ status: 200 });
      expect(warnings).toEqual([
        expect.stringContaining('fails'),
        expect.stringContaining('is back'),
      ]);
    },
  );

  it('reject a store without a name, since unrelated services would share one limit', () => {
    const options = { limit: 2, store: memoryStore() } as unknown as SuiteOptions;
    const error = { code: 'ERR_HEADGATE_OPTION', option: 'name' };
    expect(() => world.limit(options)).toThrow(expect.objectContaining(error));
  });

  it.each([
    ['fairBy', { fairBy: () => 'ann' }],
    ['priority', { priority: () => 'high' }],
    ['shares', { shares: { parts: { gold: 0.5 }, by: () => 'gold' } }],
    ['queueWeight', { queueWeight: 5 }],
    ['mode', { mode: 'shadow' }],
    ['store', { store: 'redis://127.0.0.1' }],
  ])('reject %s, which a store does not support', (option, options) => {
    const limit = {
      name: 'all',
      limit: 2,
      store: memoryStore(),
      ...options,
    } as unknown as SuiteOptions;
    const error = { code: 'ERR_HEADGATE_OPTION', option };
    expect(() => world.limit(limit)).toThrow(expect.objectContaining(error));
  });
}
