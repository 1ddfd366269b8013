import { PassThrough } from 'node:stream';
import type { Priority } from '@headgate/core';
import { expect, it } from 'vitest';
import type { SuiteContext } from '../framework.ts';
import { ok, Paused } from '../kit/handlers.ts';
import { collectWarnings } from '../kit/output.ts';
import { counts, until } from '../kit/until.ts';
import { VirtualClock } from '../kit/virtual-clock.ts';
import type { World } from '../kit/world.ts';

/** Keeps the event loop busy, in milliseconds. */
function compute(duration: number): void {
  const end = performance.now() + duration;
  while (performance.now() < end);
}

const slow = (context: SuiteContext) => {
  compute(20);
  return ok(context);
};

export function defaultLimit(world: World): void {
  it('applies without a limit, and rejects no request of a client that sends one at a time', async () => {
    // The queue uses a clock that stands still, so that a busy machine cannot let a request wait for too long.
    const limit = world.limit({ clock: new VirtualClock() });
    const app = await world.serve({ use: limit }, { handle: ok });
    for (let sent = 0; sent < 30; sent++) {
      expect((await app.call().answer()).status).toBe(200);
      await counts(limit, 0);
    }
    expect(limit.stats()).toMatchObject({ admitted: 30, limits: [{ name: 'default' }] });
  });

  it('may have a name', async () => {
    const limit = world.limit({ name: 'web' });
    const app = await world.serve({ use: limit }, { handle: ok });
    expect((await app.call().answer()).status).toBe(200);
    await counts(limit, 0);
    expect(limit.stats()).toMatchObject({ name: 'web', limits: [{ name: 'web', limit: 8 }] });
    expect(() => world.limit({ name: '' })).toThrow('name must be a string that is not empty');
    const guard = { name: 'loop', admits: () => true };
    expect(() => world.limit({ name: 'web', guard } as never)).toThrow('limit must be');
  });

  it.each([
    ['does not count responses that are being sent, and waits for them in close()', {}],
    ['does not count responses of its route that are being sent', { route: '/events' }],
  ])('%s', async (_, options) => {
    const limit = world.limit(options);
    const bodies: PassThrough[] = [];
    const signals: AbortSignal[] = [];
    const handle = (context: SuiteContext) => {
      if (context.path !== '/events') return ok(context);
      const body = new PassThrough();
      bodies.push(body);
      signals.push(context.admission?.permit?.signal as AbortSignal);
      context.stream(body, { 'Content-Type': 'text/event-stream' });
      body.write('data: 1\n\n');
    };
    const app = await world.serve({ use: limit }, { handle });
    // Some frameworks handle the disconnect during a stream as an error.
    app.ignoreErrors();
    // More than the limit admits at once.
    const calls = Array.from({ length: 20 }, () => app.call('/events'));
    for (const call of calls) expect((await call.response).statusCode).toBe(200);
    expect((await app.call().answer()).status).toBe(200);
    await counts(limit, 20);
    calls[0]?.abort();
    await counts(limit, 19);
    expect(await limit.close({ timeout: 1 })).toBe(19);
    expect(signals.map(({ aborted }) => aborted)).not.toContain(false);
    for (const body of bodies) body.end();
    await counts(limit, 0);
    expect(limit.stats().limits[0]).toMatchObject({ inflight: 0 });
  });

  world.itSeesConnections(
    'does not count requests whose body is still arriving, until it has arrived',
    async () => {
      const limit = world.limit({});
      const work = new Paused();
      const handle = async (context: SuiteContext) => {
        if (context.path !== '/upload') return ok(context);
        await context.body();
        await work.handler(context);
      };
      const app = await world.serve({ use: limit }, { handle });
      // More than the limit admits at once.
      const uploads = Array.from({ length: 20 }, () => app.raw());
      for (const upload of uploads) {
        upload.request('POST /upload', 'Content-Length: 10');
        upload.socket.write('12345');
      }
      await counts(limit, 20);
      await until(() => limit.stats().limits[0]?.inflight === 0);
      expect((await app.call().answer()).status).toBe(200);
      for (const { socket } of uploads) socket.write('67890');
      await work.begins(20);
      await until(() => limit.stats().limits[0]?.inflight === 20);
      work.finishAll();
      for (const upload of uploads) await upload.receives(/200 OK/);
      await counts(limit, 0);
      expect(limit.stats()).toMatchObject({ admitted: 21, limits: [{ inflight: 0 }] });
      for (const upload of uploads) await upload.destroy();
    },
  );

  world.itSeesConnections('counts requests as soon as their body has arrived', async () => {
    const clock = new VirtualClock();
    const limit = world.limit({ clock });
    const work = new Paused();
    const handle = async (context: SuiteContext) => {
      await context.body();
      await work.handler(context);
    };
    const app = await world.serve({ use: limit }, { handle });
    const upload = app.raw();
    upload.request('POST /', 'Content-Length: 10');
    upload.socket.write('12345');
    await until(() => {
      clock.advance(100);
      return limit.holders === 1 && limit.stats().limits[0]?.inflight === 0;
    });
    upload.socket.write('67890');
    await work.begins(1);
    expect(limit.stats().limits[0]).toMatchObject({ inflight: 1 });
    work.finishAll();
    await upload.receives(/200 OK/);
    await counts(limit, 0);
    await upload.destroy();
  });

  it('does not count requests that an inner limit has queued or rejected', async () => {
    const warnings = collectWarnings('HEADGATE_NESTED_WAIT');
    const outer = world.limit({});
    const inner = world.limit({
      name: 'reports',
      route: '/reports',
      limit: 1,
      queueLimit: 20,
      queueTimeout: 60_000,
    });
    const work = new Paused();
    const handle = (context: SuiteContext) =>
      context.path === '/reports' ? work.handler(context) : ok(context);
    const app = await world.serve({ use: outer }, { use: inner }, { handle });
    // More than the outer limit admits at once.
    const calls = Array.from({ length: 21 }, () => app.call('/reports').answer());
    await counts(inner, 1, 20);
    expect(outer.stats().limits[0]).toMatchObject({ inflight: 1, queued: 0 });
    expect((await app.call().answer()).status).toBe(200);
    expect((await app.call('/reports').answer()).status).toBe(503);
    await counts(outer, 21);
    work.finishAll();
    for (const { status } of await Promise.all(calls)) expect(status).toBe(200);
    await counts(outer, 0);
    expect(outer.stats().limits[0]).toMatchObject({ inflight: 0 });
    expect(warnings).toEqual([]);
  });

  it('answers some requests soon and rejects the others when handlers keep the event loop busy', async () => {
    const limit = world.limit({});
    const app = await world.serve({ use: limit }, { handle: slow });
    const calls = Array.from({ length: 100 }, () => app.call().answer());
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200, 503]));
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(5);
    await counts(limit, 0);
  });

  it('answers requests of a high priority first', async () => {
    const priority = (context: SuiteContext) => (context.header('x-class') ?? 'low') as Priority;
    const limit = world.limit({ priority });
    const app = await world.serve({ use: limit }, { handle: slow });
    const calls = Array.from({ length: 60 }, () => app.call().answer());
    const critical = await app.call('/', { headers: { 'X-Class': 'critical' } }).answer();
    expect(critical.status).toBe(200);
    expect((await Promise.all(calls)).filter(({ status }) => status === 503)).not.toEqual([]);
    await counts(limit, 0);
  });
}
