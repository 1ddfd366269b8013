import type { Outcome } from '@headgate/core';
import { expect, it } from 'vitest';
import type { SuiteOptions } from '../framework.ts';
import { ok, Paused } from '../kit/handlers.ts';
import { collectErrors } from '../kit/output.ts';
import { recordingLimit } from '../kit/recording-limit.ts';
import { counts, until } from '../kit/until.ts';
import { VirtualClock } from '../kit/virtual-clock.ts';
import type { World } from '../kit/world.ts';

export function adaptiveLimits(world: World): void {
  it('get a sample of each finished request: its duration, the weight in flight, and its route', async () => {
    const { samples, limit } = recordingLimit();
    const clock = new VirtualClock();
    const work = new Paused();
    const middleware = world.limit({ limit, clock });
    const app = await world.serve(
      { use: middleware },
      { path: '/reports/:id', handle: work.handler },
    );
    const calls = [app.call('/reports/1'), app.call('/reports/2')];
    await work.begins(2);
    clock.advance(50);
    work.finishAll();
    for (const call of calls) expect(await call.answer()).toMatchObject({ status: 200 });
    await until(() => samples.length === 2);
    expect(samples.map(({ rtt, inflight, outcome }) => [rtt, inflight, outcome])).toEqual([
      [50, 2, 'ok'],
      [50, 1, 'ok'],
    ]);
    const message =
      "the adapter's `Framework.kind`, or the driver's router, must identify the route";
    for (const { kind } of samples)
      expect(kind, message).toEqual(expect.stringContaining('GET /reports/:id'));
  });

  it('use the outcome that classify returns for the response', async () => {
    const { samples, limit } = recordingLimit();
    const outcomes: Record<number, Outcome> = { 200: 'ok', 404: 'ignored', 503: 'dropped' };
    const options = { limit, classify: (status: number) => outcomes[status] as Outcome };
    const middleware = world.limit(options);
    const app = await world.serve(
      { use: middleware },
      { handle: (context) => context.send(Number(context.path.slice(1)), 'done') },
    );
    for (const status of [200, 404, 503]) {
      expect(await app.call(`/${status}`).answer()).toMatchObject({ status });
    }
    await counts(middleware, 0);
    expect(samples.map(({ outcome }) => outcome)).toEqual(['ok', 'dropped']);
  });

  it('leak nothing when classify throws or returns an invalid outcome', async () => {
    const printed = collectErrors(/a bug of the app|classify must be/);
    const { samples, limit } = recordingLimit();
    let answers = 0;
    const bugs = [new Error('a bug of the app'), 'a bug of the app'];
    const classify = () => {
      const bug = bugs[answers++];
      if (bug !== undefined) throw bug;
      return 'fine' as Outcome;
    };
    const middleware = world.limit({ limit, classify });
    const app = await world.serve({ use: middleware }, { handle: ok });
    for (const _ of [1, 2, 3]) {
      expect(await app.call().answer()).toMatchObject({ status: 200 });
      await counts(middleware, 0);
    }
    expect([answers, samples]).toEqual([3, []]);
    expect(middleware.stats()).toMatchObject({ admitted: 3, limits: [{ inflight: 0 }] });
    const message = '`Framework.report` must print the error or pass it to the error handling';
    expect(printed.length + app.errors.length, message).toBe(3);
  });

  it.each<[string, object]>([
    ['classify without an adaptive limit', { limit: 1, classify: () => 'ok' }],
    ['a classify that is not a function', { limit: recordingLimit().limit, classify: 'ok' }],
    ['an invalid order', { limit: 1, order: 'lifo' }],
    ['an adaptive limit with a key', { limit: recordingLimit().limit, key: () => 'k' }],
  ])('reject %s', (_, options) => {
    const code = 'ERR_HEADGATE_OPTION';
    expect(() => world.limit(options as SuiteOptions)).toThrow(expect.objectContaining({ code }));
  });
}
