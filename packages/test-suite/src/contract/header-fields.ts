import { expect, it } from 'vitest';
import { busy } from '../kit/busy.ts';
import { ok, Paused } from '../kit/handlers.ts';
import { counts } from '../kit/until.ts';
import { VirtualClock } from '../kit/virtual-clock.ts';
import type { World } from '../kit/world.ts';

const fields = ['ratelimit', 'ratelimit-policy', 'server-timing'];

export function headerFields(world: World): void {
  it('adds no fields by default', async () => {
    const { app, limit, work, holder } = await busy(world, { queueLimit: 1 });
    const waiter = app.call();
    await counts(limit, 1, 1);
    const refused = await app.call().answer();
    work.finishAll();
    for (const { headers } of [await holder.answer(), await waiter.answer(), refused]) {
      for (const field of fields) expect(headers).not.toHaveProperty(field);
    }
  });

  it('reports the limit and its remaining capacity with headers: true', async () => {
    const work = new Paused();
    const limit = world.limit({ limit: 3, name: 'app', headers: true });
    const steps = [{ path: '/slow', handle: work.handler }, { handle: ok }];
    const app = await world.serve({ use: limit }, ...steps);
    const slow = app.call('/slow');
    await work.begins(1);
    const { headers } = await app.call('/quick').answer();
    expect(headers['ratelimit-policy']).toBe('"app";q=3;qu="concurrent-requests"');
    expect(headers.ratelimit).toMatch(/^"app";r=1(;|$)/);
    await counts(limit, 1);
    work.finishAll();
    expect((await slow.answer()).headers.ratelimit).toMatch(/^"app";r=2(;|$)/);
  });

  it('reports every limit that applies', async () => {
    const { work, holder } = await busy(world, {
      limits: [
        { name: 'user', limit: 2, key: ({ path }) => `secret ${path}` },
        { name: 'reports', limit: 4, route: '/reports' },
        { name: 'app', limit: 8 },
      ],
      headers: true,
    });
    work.finishAll();
    const { headers } = await holder.answer();
    expect(headers['ratelimit-policy']).toMatch(/^"user";q=2;.*, ?"app";q=8;/);
    expect(headers.ratelimit).toMatch(/^"user";r=1.*, ?"app";r=7/);
    expect(JSON.stringify(headers)).not.toMatch(/secret|reports/);
  });

  it("reports a key's own limit, also in a rejection by another limit", async () => {
    const { app, work, holder } = await busy(world, {
      limits: [
        { name: 'user', limit: () => 20, key: ({ path }) => path },
        { name: 'app', limit: 1 },
      ],
      headers: true,
    });
    const { status, headers } = await app.call('/other').answer();
    expect(status).toBe(503);
    expect(headers['ratelimit-policy']).toMatch(/^"user";q=20;.*, ?"app";q=1;/);
    expect(headers.ratelimit).toMatch(/^"user";r=20.*, ?"app";r=0/);
    work.finishAll();
    await holder.answer();
  });

  it('reports the wait of a request', async () => {
    const clock = new VirtualClock();
    const { app, limit, work } = await busy(world, { queueLimit: 1, headers: true, clock });
    const waiter = app.call();
    await counts(limit, 1, 1);
    clock.advance(250);
    work.finishAll();
    const { headers } = await waiter.answer();
    expect(headers['server-timing']).toMatch(/;dur=250(\.0+)?($|[;,])/);
  });

  it("keeps the app's own Server-Timing", async () => {
    const limit = world.limit({ limit: 1, headers: true });
    const own = { 'Server-Timing': 'db;dur=5' };
    const app = await world.serve({ use: limit }, { handle: ({ send }) => send(200, 'ok', own) });
    const { headers } = await app.call().answer();
    expect(headers['server-timing']).toContain('db;dur=5');
  });

  it('adds the fields to a rejection', async () => {
    const { app, work, holder } = await busy(world, { name: 'app', headers: true });
    const { status, headers } = await app.call().answer();
    expect(status).toBe(503);
    expect(headers['ratelimit-policy']).toBe('"app";q=1;qu="concurrent-requests"');
    expect(headers.ratelimit).toMatch(/^"app";r=0(;|$)/);
    work.finishAll();
    await holder.answer();
  });

  it('reports the limits of all middleware that a request has passed', async () => {
    const outer = world.limit({ limit: 9, name: 'outer', headers: true });
    const inner = world.limit({ limit: 1, name: 'inner', headers: true });
    const app = await world.serve({ use: outer }, { use: inner }, { handle: ok });
    const { headers } = await app.call().answer();
    const items = (field: string) => String(headers[field]).split(/, ?/).sort();
    expect(items('ratelimit-policy')).toEqual([
      '"inner";q=1;qu="concurrent-requests"',
      '"outer";q=9;qu="concurrent-requests"',
    ]);
    expect(items('ratelimit')).toEqual(['"inner";r=0', '"outer";r=8']);
    expect(items('server-timing')).toHaveLength(2);
  });

  it("keeps an outer limit's fields in a rejection of an inner limit", async () => {
    const work = new Paused();
    const outer = world.limit({ limit: 9, name: 'outer', headers: true });
    const inner = world.limit({ limit: 1, queueLimit: 0, name: 'inner', headers: true });
    const app = await world.serve({ use: outer }, { use: inner }, { handle: work.handler });
    const holder = app.call();
    await work.begins(1);
    const { status, headers } = await app.call().answer();
    expect(status).toBe(503);
    const policies = String(headers['ratelimit-policy']).split(/, ?/);
    expect(policies.sort()).toEqual([
      '"inner";q=1;qu="concurrent-requests"',
      '"outer";q=9;qu="concurrent-requests"',
    ]);
    expect(String(headers.ratelimit).split(/, ?/).sort()).toEqual(['"inner";r=0', '"outer";r=7']);
    expect(String(headers['server-timing']).split(/, ?/)).toHaveLength(2);
    work.finishAll();
    await holder.answer();
  });
}
