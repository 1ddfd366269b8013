import type { Outcome, Sample } from '@headgate/core';
import { expect, it } from 'vitest';
import type { SuiteOptions } from '../framework.ts';
import { ok, Paused } from '../kit/handlers.ts';
import { ManualClock } from '../kit/manual-clock.ts';
import { collectErrors } from '../kit/output.ts';
import { counts, until } from '../kit/until.ts';
import type { World } from '../kit/world.ts';

/** A limit that stays where it is and keeps what it is shown. */
function shown() {
  const samples: Sample[] = [];
  const create = () => ({ limit: 2, sample: (sample: Sample) => void samples.push(sample) });
  return { samples, limit: { create } };
}

export function adapting(world: World): void {
  it('are shown each request that is over: how long, beside how many, of which route', async () => {
    const { samples, limit } = shown();
    const clock = new ManualClock();
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
    expect(new Set(samples.map(({ kind }) => kind))).toEqual(new Set(['GET /reports/:id']));
  });

  it('take what classify says of the response', async () => {
    const { samples, limit } = shown();
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

  it('lose nothing by a classify that throws or says what it may not', async () => {
    const printed = collectErrors(/a bug of the app|classify must be/);
    const { samples, limit } = shown();
    let answers = 0;
    const classify = () => {
      if (answers++ === 0) throw new Error('a bug of the app');
      return 'fine' as Outcome;
    };
    const middleware = world.limit({ limit, classify });
    const app = await world.serve({ use: middleware }, { handle: ok });
    for (const _ of [1, 2]) {
      expect(await app.call().answer()).toMatchObject({ status: 200 });
      await counts(middleware, 0);
    }
    expect([answers, samples]).toEqual([2, []]);
    expect(middleware.stats()).toMatchObject({ admitted: 2, limits: [{ inflight: 0 }] });
    expect(printed.length).toBeLessThanOrEqual(2);
  });

  it.each<[string, object]>([
    ['classify where no limit adapts', { limit: 1, classify: () => 'ok' }],
    ['classify that is no function', { limit: shown().limit, classify: 'ok' }],
    ['an order that is none', { limit: 1, order: 'lifo' }],
    ['a limit that adapts beside a key', { limit: shown().limit, key: () => 'k' }],
  ])('refuse %s', (_, options) => {
    const code = 'ERR_HEADGATE_OPTION';
    expect(() => world.limit(options as SuiteOptions)).toThrow(expect.objectContaining({ code }));
  });
}
