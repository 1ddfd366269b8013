import { expect, it } from 'vitest';
import type { SuiteContext } from '../framework.ts';
import { Paused } from '../kit/handlers.ts';
import { counts } from '../kit/until.ts';
import type { World } from '../kit/world.ts';

export function limits(world: World): void {
  const user = (context: SuiteContext) => context.header('x-user');
  const as = (name: string, method = 'GET') => ({ method, headers: { 'X-User': name } });

  async function three() {
    const work = new Paused();
    const limit = world.limit({
      limits: [
        { name: 'user', limit: 2, key: user, statusCode: 429 },
        { name: 'reports', limit: 1, route: 'POST /reports/:id' },
        { name: 'app', limit: 3 },
      ],
      queueLimit: 9,
    });
    const app = await world.serve({ use: limit }, { handle: work.handler });
    const inflight = () => limit.stats().limits.map((stats) => stats.inflight);
    return { work, limit, app, inflight };
  }

  it('counts a request against every limit that applies to it, and against no other', async () => {
    const { work, limit, app, inflight } = await three();
    const calls = [app.call('/', as('a'))];
    await counts(limit, 1);
    expect(inflight()).toEqual([1, 0, 1]);
    calls.push(app.call('/reports/1', as('b', 'POST')));
    await counts(limit, 2);
    expect(inflight()).toEqual([2, 1, 2]);
    calls.push(app.call('/reports/1'));
    await counts(limit, 3);
    expect(inflight()).toEqual([2, 1, 3]);
    work.finishAll();
    for (const call of calls) expect(await call.answer()).toMatchObject({ status: 200 });
    await counts(limit, 0);
    expect(inflight()).toEqual([0, 0, 0]);
  });

  it('a busy key delays only its own requests', async () => {
    const { work, limit, app, inflight } = await three();
    const busy = Array.from({ length: 5 }, (_, index) => app.call(`/a${index}`, as('a')));
    await counts(limit, 2, 3);
    expect(inflight()).toEqual([2, 0, 2]);
    const other = app.call('/b', as('b'));
    await counts(limit, 3, 3);
    work.finishAll();
    for (const call of [...busy, other]) expect((await call.answer()).status).toBe(200);
  });

  it('releases the earlier permits when a later limit rejects the request', async () => {
    const work = new Paused();
    const limit = world.limit({
      limits: [
        { name: 'user', limit: 2, key: user },
        { name: 'app', limit: 1 },
      ],
      queueLimit: 0,
    });
    const app = await world.serve({ use: limit }, { handle: work.handler });
    const holder = app.call('/', as('a'));
    await counts(limit, 1);
    const { status, body } = await app.call('/', as('b')).answer();
    expect(status).toBe(503);
    expect(JSON.parse(body)).toMatchObject({ 'violated-policies': ['app'] });
    expect(limit.stats().limits[0]).toMatchObject({ inflight: 1, keys: 1 });
    work.finishAll();
    await holder.answer();
  });

  it('responds with the status of the limit that rejected, and names it', async () => {
    const work = new Paused();
    const limit = world.limit({
      limits: [
        { name: 'user', limit: 1, key: user, statusCode: 429 },
        { name: 'app', limit: 2 },
      ],
      queueLimit: 0,
    });
    const app = await world.serve({ use: limit }, { handle: work.handler });
    const calls = [app.call('/', as('a')), app.call('/', as('b'))];
    await counts(limit, 2);
    const again = await app.call('/', as('a')).answer();
    expect(again.status).toBe(429);
    expect(JSON.parse(again.body)).toMatchObject({ 'violated-policies': ['user'] });
    const third = await app.call('/', as('c')).answer();
    expect(third.status).toBe(503);
    expect(JSON.parse(third.body)).toMatchObject({ 'violated-policies': ['app'] });
    work.finishAll();
    for (const call of calls) await call.answer();
  });

  it.each(['*/*', 'text/html', 'text/plain'])(
    "reveals no other client's key in a response of %s",
    async (accept) => {
      const work = new Paused();
      const limit = world.limit({
        limits: [
          { name: 'user', limit: 1, key: user },
          { name: 'app', limit: 1 },
        ],
        queueLimit: 0,
        headers: true,
      });
      const app = await world.serve({ use: limit }, { handle: work.handler });
      const holder = app.call('/', as('secret-of-alice'));
      await counts(limit, 1);
      const headers = { Accept: accept, 'X-User': 'bob' };
      const answer = await app.call('/', { headers }).answer();
      expect(answer.status).toBe(503);
      expect(JSON.stringify(answer)).not.toContain('secret-of-alice');
      work.finishAll();
      const { headers: own } = await holder.answer();
      expect(JSON.stringify(own)).not.toContain('secret-of-alice');
    },
  );

  it("removes a key's state as soon as the key is idle", async () => {
    const limit = world.limit({ limit: 1, key: ({ path }) => path });
    const app = await world.serve(
      { use: limit },
      { handle: ({ path, send }) => send(path === '/9' ? 500 : 200) },
    );
    for (let key = 0; key < 20; key++) await app.call(`/${key}`).answer();
    await counts(limit, 0);
    expect(limit.stats().limits[0]).toMatchObject({ keys: 0 });
  });

  it('accepts any string as a key', async () => {
    const work = new Paused();
    const keys = ['__proto__', 'constructor', 'toString', '', ' ', '0'];
    const limit = world.limit({
      limit: 1,
      queueLimit: 0,
      key: (c) => keys[Number(c.header('x-user'))],
    });
    const app = await world.serve({ use: limit }, { handle: work.handler });
    const calls = keys.map((_, index) => app.call('/', as(String(index))));
    await counts(limit, keys.length);
    expect(await app.call('/', as('0')).answer()).toMatchObject({ status: 503 });
    work.finishAll();
    for (const call of calls) expect(await call.answer()).toMatchObject({ status: 200 });
  });

  it('counts the keys 42 and "42" as the same key', async () => {
    const work = new Paused();
    const limit = world.limit({
      limit: 1,
      queueLimit: 0,
      key: (c) => (c.header('x-user') === 'number' ? 42 : '42'),
    });
    const app = await world.serve({ use: limit }, { handle: work.handler });
    const call = app.call('/', as('number'));
    await counts(limit, 1);
    expect(await app.call('/', as('text')).answer()).toMatchObject({ status: 503 });
    work.finishAll();
    expect(await call.answer()).toMatchObject({ status: 200 });
    expect(await app.call('/', as('text')).answer()).toMatchObject({ status: 200 });
  });

  it('admits queued requests as soon as a limit is raised', async () => {
    const work = new Paused();
    const limit = world.limit({ name: 'app', limit: 1, queueLimit: 9 });
    const app = await world.serve({ use: limit }, { handle: work.handler });
    const calls = Array.from({ length: 4 }, () => app.call());
    await counts(limit, 1, 3);
    limit.limiters.app?.setLimit(3);
    await counts(limit, 3, 1);
    await work.begins(3);
    work.finishAll();
    for (const call of calls) expect(await call.answer()).toMatchObject({ status: 200 });
  });

  it('does not limit a request whose key is undefined', async () => {
    const work = new Paused();
    const limit = world.limit({ limit: 1, key: user });
    const app = await world.serve({ use: limit }, { handle: work.handler });
    const calls = [app.call(), app.call()];
    await work.begins(2);
    expect(limit.stats().limits[0]).toMatchObject({ inflight: 0 });
    work.finishAll();
    for (const call of calls) expect(await call.answer()).toMatchObject({ status: 200 });
  });

  it('computes the limit of a key from the request', async () => {
    const work = new Paused();
    const paying = (context: SuiteContext) => (user(context)?.startsWith('paying') ? 2 : 1);
    const limit = world.limit({
      limits: [{ name: 'plan', limit: paying, key: user }],
      queueLimit: 0,
    });
    const app = await world.serve({ use: limit }, { handle: work.handler });
    const admitted = [app.call('/', as('paying')), app.call('/', as('free'))];
    await counts(limit, 2);
    expect(await app.call('/', as('free')).answer()).toMatchObject({ status: 503 });
    admitted.push(app.call('/', as('paying')));
    await counts(limit, 3);
    expect(await app.call('/', as('paying')).answer()).toMatchObject({ status: 503 });
    work.finishAll();
    for (const call of admitted) expect(await call.answer()).toMatchObject({ status: 200 });
  });
}
