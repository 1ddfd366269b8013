import { PassThrough } from 'node:stream';
import { timeLeft } from '@headgate/core';
import { expect, it } from 'vitest';
import type { SuiteHandler } from '../framework.ts';
import { busy } from '../kit/busy.ts';
import { Paused } from '../kit/handlers.ts';
import { aRound, counts } from '../kit/until.ts';
import { VirtualClock } from '../kit/virtual-clock.ts';
import type { World } from '../kit/world.ts';

/** Longer than a busy machine takes for a test, since `X-Request-Start` is measured by the wall clock. */
const MAX = 60_000;
const queueTimeout = timeLeft({ max: MAX });

/** Headers of a client that waits for less than 15 seconds, and for more than 5. */
const headers: [string, () => string][] = [
  ['X-Request-Start', () => `${Date.now() - MAX + 15_000}`],
  ['X-Request-Start', () => `t=${((Date.now() - MAX + 15_000) / 1000).toFixed(3)}`],
  ['X-Envoy-Expected-Rq-Timeout-Ms', () => '15000'],
  ['grpc-timeout', () => '15S'],
  ['Connect-Timeout-Ms', () => '15000'],
  ['Expect-Within', () => '15.000'],
  ['Prefer', () => 'respond-async, wait=15'],
];

const invalid: [string, string][] = [
  ['X-Request-Start', '12'],
  ['X-Envoy-Expected-Rq-Timeout-Ms', '-1'],
  ['grpc-timeout', '1s'],
  ['Connect-Timeout-Ms', '100, 200'],
  ['Expect-Within', '61'],
  ['Prefer', 'wait=soon'],
];

export function clientDeadlines(world: World): void {
  it.each(headers)(
    'a request leaves the queue when its client stops waiting: %s',
    async (...of) => {
      const [name, value] = of;
      const clock = new VirtualClock();
      const { app, limit, work, holder } = await busy(world, {
        queueLimit: 1,
        queueTimeout,
        clock,
      });
      const call = app.call('/', { headers: { [name]: value() } });
      await counts(limit, 1, 1);
      clock.advance(5000);
      expect(limit.queued).toBe(1);
      clock.advance(10_000);
      const { status, body } = await call.answer();
      expect(status).toBe(503);
      expect(body).toContain('timeout');
      work.finishAll();
      await holder.answer();
      expect(work.paths).toEqual(['/holder']);
    },
  );

  it.each(invalid)('ignores an invalid header: %s: %s', async (name, value) => {
    const clock = new VirtualClock();
    const { app, limit, work, holder } = await busy(world, { queueLimit: 1, queueTimeout, clock });
    const call = app.call('/', { headers: { [name]: value } });
    await counts(limit, 1, 1);
    clock.advance(MAX - 1);
    expect(limit.queued).toBe(1);
    clock.advance(1);
    expect(await call.answer()).toMatchObject({ status: 503 });
    work.finishAll();
    await holder.answer();
  });

  it('an answer too late for one client takes no time from others, which wait for up to `max`', async () => {
    const clock = new VirtualClock();
    const { app, limit, work, holder } = await busy(world, { queueLimit: 3, queueTimeout, clock });
    const hasty = app.call('/hasty', { headers: { 'Connect-Timeout-Ms': `${MAX / 2}` } });
    await counts(limit, 1, 1);
    const others = ['/second', '/third'].map((path) => app.call(path));
    await counts(limit, 1, 3);
    clock.advance(MAX / 2 - 1000);
    work.finish();
    await holder.answer();
    await work.begins(2);
    clock.advance(2000);
    work.finishAll();
    await hasty.answer();
    for (const call of others) expect(await call.answer()).toMatchObject({ status: 200 });
  });

  it('the admission says how long the client still waits', async () => {
    const clock = new VirtualClock();
    const { app, limit, work, holder } = await busy(world, { queueLimit: 1, queueTimeout, clock });
    const call = app.call('/', { headers: { 'Connect-Timeout-Ms': '500' } });
    await counts(limit, 1, 1);
    clock.advance(100);
    work.finish();
    await holder.answer();
    await work.begins(2);
    const admission = work.begun[1]?.admission;
    expect([admission?.waited, admission?.timeLeft]).toEqual([100, 400]);
    clock.advance(150);
    expect(admission?.timeLeft).toBe(250);
    clock.advance(1000);
    expect(admission?.timeLeft).toBe(0);
    work.finishAll();
    await call.answer();
  });

  it("aborts the permit's signal when the client stops waiting", async () => {
    const clock = new VirtualClock();
    const { limit, work, call } = await running(world, clock, { 'Connect-Timeout-Ms': '500' });
    const { permit } = work.begun[0]?.admission ?? {};
    expect(permit?.signal.aborted).toBe(false);
    clock.advance(499);
    expect(permit?.signal.aborted).toBe(false);
    clock.advance(1);
    expect(permit?.signal.reason).toMatchObject({ code: 'ERR_HEADGATE_DEADLINE' });
    expect(limit.holders).toBe(1);
    work.finishAll();
    expect((await call.answer()).status).toBe(200);
  });

  it('a request whose client stops waiting as it arrives runs if there is room', async () => {
    const clock = new VirtualClock();
    const { work, call } = await running(world, clock, { 'Expect-Within': '0' });
    const admission = work.begun[0]?.admission;
    expect(admission?.timeLeft).toBe(0);
    clock.advance(1);
    expect(admission?.permit?.signal.aborted).toBe(true);
    work.finishAll();
    await call.answer();
  });

  it('a response in time stops the timer and leaves the signal alone', async () => {
    const clock = new VirtualClock();
    const { limit, work, call } = await running(world, clock, { 'Connect-Timeout-Ms': '500' });
    const { permit } = work.begun[0]?.admission ?? {};
    const signal = permit?.signal;
    const armed = clock.armed;
    work.finishAll();
    await call.answer();
    await counts(limit, 0);
    expect(clock.armed).toBe(armed - 1);
    clock.advance(1000);
    await aRound();
    expect(signal?.aborted).toBe(false);
  });

  it('a response that has begun in time is not aborted', async () => {
    const clock = new VirtualClock();
    const body = new PassThrough();
    const signals: (AbortSignal | undefined)[] = [];
    const limit = world.limit({ limit: 1, queueTimeout, clock });
    const handle: SuiteHandler = (context) => {
      signals.push(context.admission?.permit?.signal);
      context.stream(body);
      body.write('one');
    };
    const app = await world.serve({ use: limit }, { handle });
    const call = app.call('/', { headers: { 'Connect-Timeout-Ms': '500' } });
    await call.response;
    clock.advance(500);
    body.end('two');
    expect((await call.answer()).body).toBe('onetwo');
    expect(signals[0]?.aborted).toBe(false);
  });

  it('a permit that the handler has released early is not aborted', async () => {
    const clock = new VirtualClock();
    const { work, call } = await running(world, clock, { 'Connect-Timeout-Ms': '500' });
    const { permit } = work.begun[0]?.admission ?? {};
    permit?.release();
    clock.advance(500);
    expect(permit?.signal.aborted).toBe(false);
    work.finishAll();
    await call.answer();
  });

  it.each([
    ['no header', {}],
    ['a header above max', { 'Connect-Timeout-Ms': '60001' }],
  ])('max alone is no deadline of the client: %s', async (_, fields) => {
    const clock = new VirtualClock();
    const { work, call } = await running(world, clock, fields);
    const admission = work.begun[0]?.admission;
    clock.advance(2 * MAX);
    expect(admission?.timeLeft).toBeUndefined();
    expect(admission?.permit?.signal.aborted).toBe(false);
    work.finishAll();
    await call.answer();
  });

  it('a rejected request that a handler serves knows how long its client still waits', async () => {
    const clock = new VirtualClock();
    const times: unknown[] = [];
    const work = new Paused();
    const limit = world.limit({
      ...{ limit: 1, queueLimit: 1, queueTimeout, clock },
      onReject: (_, __, next) => next(),
    });
    const app = await world.serve(
      { use: limit },
      {
        async handle(context) {
          times.push(context.admission?.timeLeft);
          if (context.path === '/holder') return work.handler(context);
          context.send(200);
        },
      },
    );
    const holder = app.call('/holder');
    await work.begins(1);
    const call = app.call('/', { headers: { 'Connect-Timeout-Ms': '500' } });
    await counts(limit, 1, 1);
    clock.advance(500);
    expect((await call.answer()).status).toBe(200);
    expect(times).toEqual([undefined, 0]);
    work.finishAll();
    await holder.answer();
  });
}

/** A request that has reached its handler. */
async function running(world: World, clock: VirtualClock, fields: Record<string, string>) {
  const work = new Paused();
  const limit = world.limit({ limit: 1, queueTimeout, clock });
  const app = await world.serve({ use: limit }, { handle: work.handler });
  const call = app.call('/', { headers: fields });
  await work.begins(1);
  return { app, limit, work, call };
}
