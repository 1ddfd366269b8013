import type { Guard, Priority } from '@headgate/core';
import { expect, it } from 'vitest';
import type { SuiteContext, SuiteOptions } from '../framework.ts';
import { ok, Paused } from '../kit/handlers.ts';
import { counts } from '../kit/until.ts';
import type { World } from '../kit/world.ts';

/** A guard that admits all but some priorities, and records each call. */
class RecordingGuard implements Guard {
  readonly name = 'sentry';
  readonly asked: Priority[] = [];
  refuses: readonly Priority[] = [];

  admits(priority: Priority): boolean {
    this.asked.push(priority);
    return !this.refuses.includes(priority);
  }
}

const all: readonly Priority[] = ['critical', 'high', 'normal', 'low', 'sheddable'];
const priority = (context: SuiteContext) => (context.header('x-class') ?? 'normal') as 'normal';

export function guards(world: World): void {
  it('rejects requests that the guard does not admit', async () => {
    const guard = new RecordingGuard();
    const limit = world.limit({ guard, limit: 1 });
    const app = await world.serve({ use: limit }, { handle: ok });
    expect(await app.call().answer()).toMatchObject({ status: 200 });
    guard.refuses = all;
    const { status, headers, body } = await app.call().answer();
    expect(status).toBe(503);
    expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1);
    expect(JSON.parse(body)).toMatchObject({
      reason: 'overloaded',
      'violated-policies': ['sentry'],
    });
    expect(limit.stats()).toMatchObject({ admitted: 1, rejected: { overloaded: 1 } });
  });

  it('works without a limit, and counts requests in flight', async () => {
    const guard = new RecordingGuard();
    const limit = world.limit({ guard });
    const work = new Paused();
    const app = await world.serve({ use: limit }, { handle: work.handler });
    const calls = [app.call(), app.call()];
    await work.begins(2);
    expect(limit.holders).toBe(2);
    guard.refuses = all;
    expect(await app.call().answer()).toMatchObject({ status: 503 });
    const closed = limit.close();
    expect(await app.call().answer()).toMatchObject({ status: 503 });
    expect(limit.stats().rejected).toMatchObject({ overloaded: 1, closed: 1 });
    work.finishAll();
    for (const call of calls) expect(await call.answer()).toMatchObject({ status: 200 });
    expect(await closed).toBe(0);
  });

  it('gets the priority of a request even without a queue', async () => {
    const guard = new RecordingGuard();
    guard.refuses = ['low', 'sheddable'];
    const limit = world.limit({ guard, priority });
    const app = await world.serve({ use: limit }, { handle: ok });
    const statuses: number[] = [];
    for (const name of ['critical', 'low']) {
      statuses.push((await app.call('/', { headers: { 'X-Class': name } }).answer()).status);
    }
    expect(statuses).toEqual([200, 503]);
    expect(guard.asked).toEqual(['critical', 'low']);
  });

  it('is asked even if no limit applies, but not for a skipped request', async () => {
    const guard = new RecordingGuard();
    guard.refuses = all;
    const limit = world.limit({
      guard,
      limits: [{ name: 'reports', limit: 1, route: '/reports' }],
      skip: ({ path }) => path === '/health',
    });
    const app = await world.serve({ use: limit }, { handle: ok });
    expect(await app.call('/other').answer()).toMatchObject({ status: 503 });
    expect(await app.call('/health').answer()).toMatchObject({ status: 200 });
    expect(guard.asked).toHaveLength(1);
  });

  it('is asked once for a request that passes it twice', async () => {
    const guard = new RecordingGuard();
    const [outer, inner] = [world.limit({ guard }), world.limit({ guard, limit: 1 })];
    const app = await world.serve({ use: outer }, { use: inner }, { use: outer }, { handle: ok });
    expect(await app.call().answer()).toMatchObject({ status: 200 });
    expect(guard.asked).toHaveLength(1);
    expect([outer, inner].map((limit) => limit.stats().admitted)).toEqual([1, 1]);
  });

  it('is asked even if another guard of an outer middleware has been asked', async () => {
    const guards = [new RecordingGuard(), new RecordingGuard()];
    const steps = guards.map((guard) => ({ use: world.limit({ guard }) }));
    const app = await world.serve(...steps, { handle: ok });
    expect(await app.call().answer()).toMatchObject({ status: 200 });
    expect(guards.map(({ asked }) => asked.length)).toEqual([1, 1]);
  });

  it('releases the outer permit if an inner guard rejects', async () => {
    const guard = new RecordingGuard();
    guard.refuses = all;
    const [outer, inner] = [world.limit({ limit: 1 }), world.limit({ guard })];
    const app = await world.serve({ use: outer }, { use: inner }, { handle: ok });
    expect(await app.call().answer()).toMatchObject({ status: 503 });
    await counts(outer, 0);
  });

  it('admits every request in shadow mode, and reports', async () => {
    const guard = new RecordingGuard();
    guard.refuses = all;
    const limit = world.limit({ guard, mode: 'shadow' });
    const app = await world.serve({ use: limit }, { handle: ok });
    expect(await app.call().answer()).toMatchObject({ status: 200 });
    expect(limit.stats()).toMatchObject({ admitted: 1, wouldReject: { overloaded: 1 } });
  });

  it('lets onReject respond to a rejection by the guard', async () => {
    const guard = new RecordingGuard();
    guard.refuses = all;
    const limit = world.limit({ guard, onReject: (_rejection, _context, next) => next() });
    const app = await world.serve(
      { use: limit },
      {
        handle: ({ admission, send }) => {
          send(200, admission?.rejection?.reason);
        },
      },
    );
    expect(await app.call().answer()).toMatchObject({ status: 200, body: 'overloaded' });
  });

  it('reports the wait in the header fields even without a limit', async () => {
    const limit = world.limit({ guard: new RecordingGuard(), headers: true });
    const app = await world.serve({ use: limit }, { handle: ok });
    const { headers } = await app.call().answer();
    expect(headers).toMatchObject({ 'server-timing': 'headgate;dur=0' });
    expect(headers).not.toHaveProperty('ratelimit');
  });

  it.each([
    ['guard', { guard: 'loop' }],
    ['guard', { guard: { name: 'loop' } }],
    ['limit', { guard: new RecordingGuard(), weight: 2 }],
    ['limits', { limits: [] }],
  ])('concurrencyLimit() throws for an invalid combination with %s', (option, options) => {
    const error = { code: 'ERR_HEADGATE_OPTION', option };
    expect(() => world.limit(options as unknown as SuiteOptions)).toThrow(
      expect.objectContaining(error),
    );
  });

  it('passes an error of the guard to the error handling, and holds no permit', async () => {
    const guard: Guard = {
      name: 'broken',
      admits() {
        throw new Error('broken');
      },
    };
    const limit = world.limit({ guard, limit: 1 });
    const app = await world.serve({ use: limit }, { handle: ok });
    expect(await app.call().answer()).toMatchObject({ status: 500 });
    await counts(limit, 0);
    expect(app.errors).toMatchObject([{ message: 'broken' }]);
  });
}
