import { expect, it } from 'vitest';
import { busy } from '../kit/busy.ts';
import { ok, Paused } from '../kit/handlers.ts';
import { counts } from '../kit/until.ts';
import type { World } from '../kit/world.ts';

const preflight = {
  Origin: 'https://example.com',
  'Access-Control-Request-Method': 'POST',
};

export function methods(world: World): void {
  it.each(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])(
    'limits %s requests',
    async (method) => {
      const work = new Paused();
      const limit = world.limit({ limit: 1, queueLimit: 0 });
      const app = await world.serve({ use: limit }, { handle: work.handler });
      const call = app.call('/', { method });
      await counts(limit, 1);
      expect(await app.call('/', { method }).answer()).toMatchObject({ status: 503 });
      work.finishAll();
      expect(await call.answer()).toMatchObject({ status: 200 });
      await counts(limit, 0);
    },
  );

  it('admits a CORS preflight without a permit', async () => {
    const { app, limit, work, holder } = await busy(world);
    const call = app.call('/', { method: 'OPTIONS', headers: preflight });
    await work.begins(2);
    expect(limit.holders).toBe(1);
    const none = { permit: undefined, waited: 0, rejection: undefined };
    expect(work.begun[1]?.admission).toEqual(none);
    work.finishAll();
    expect(await call.answer()).toMatchObject({ status: 200 });
    await holder.answer();
    expect(limit.stats()).toMatchObject({ admitted: 1, rejected: { full: 0 }, skipped: 1 });
  });

  it('limits further preflights like other requests while four are being handled', async () => {
    const { app, limit, work, holder } = await busy(world);
    const call = () => app.call('/', { method: 'OPTIONS', headers: preflight });
    const calls = [call(), call(), call(), call()];
    await work.begins(5);
    expect(await call().answer()).toMatchObject({ status: 503 });
    work.finishAll();
    for (const each of calls) expect(await each.answer()).toMatchObject({ status: 200 });
    await holder.answer();
    expect(limit.stats()).toMatchObject({ admitted: 1, rejected: { full: 1 }, skipped: 4 });
  });

  it('counts a preflight until it has been answered', async () => {
    const limit = world.limit({ limit: 1 });
    const app = await world.serve({ use: limit }, { handle: ok });
    for (let i = 0; i < 10; i++)
      await app.call('/', { method: 'OPTIONS', headers: preflight }).answer();
    expect(limit.stats()).toMatchObject({ admitted: 0, skipped: 10 });
  });

  it.each([
    ['an OPTIONS without an origin', 'OPTIONS', { ...preflight, Origin: '' }],
    ['an OPTIONS without a requested method', 'OPTIONS', { Origin: preflight.Origin }],
    ["a GET with a preflight's headers", 'GET', preflight],
  ])('does not treat %s as a preflight', async (_, method, headers) => {
    const { app, work, holder } = await busy(world);
    const sent = Object.entries(headers).filter(([, value]) => value !== '');
    const call = app.call('/', { method, headers: Object.fromEntries(sent) });
    expect(await call.answer()).toMatchObject({ status: 503 });
    work.finishAll();
    await holder.answer();
  });
}
