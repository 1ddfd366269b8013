import { createLimiter, defaultLimit } from '@headgate/core';
import { expect, it } from 'vitest';
import type { SuiteContext, SuiteOptions } from '../framework.ts';
import { busy } from '../kit/busy.ts';
import type { Call } from '../kit/call.ts';
import { Paused } from '../kit/handlers.ts';
import { collectWarnings } from '../kit/output.ts';
import { counts } from '../kit/until.ts';
import { VirtualClock } from '../kit/virtual-clock.ts';
import type { World } from '../kit/world.ts';

/** The path is the timeout in milliseconds: `/500`. */
function queueTimeout({ path }: SuiteContext): number | undefined {
  const timeout = path.slice(1);
  return timeout === '' || timeout === 'holder' ? undefined : Number(timeout);
}

const timedOut = async (call: Call) => {
  const { status, body } = await call.answer();
  expect(status).toBe(503);
  expect(body).toContain('timeout');
};

/** An event loop without idle time. With an idle one, the default limit would start more while handlers hang. */
const busyLoop = {
  isMeasured: true,
  now: () => performance.now(),
  idle: () => 0,
  accepted: () => 0,
  whenPolled: (callback: () => void) => void setTimeout(callback),
};

/** The kinds of limits, with one running request at most. */
const kinds: [string, () => SuiteOptions][] = [
  ['a limit', () => ({ limit: 1 })],
  ['a limit with a key', () => ({ limit: 1, key: () => 'k' })],
  [
    'several limits',
    () => ({
      limits: [
        { name: 'user', limit: 1, key: () => 'k' },
        { name: 'app', limit: 1 },
      ],
    }),
  ],
  ['a default limit', () => ({ limit: defaultLimit({ min: 1, max: 1 }, busyLoop) })],
];

export function queueTimeouts(world: World): void {
  it.each(kinds)('a function of the request decides when it times out: %s', async (_, kind) => {
    const clock = new VirtualClock();
    const { app, limit, work, holder } = await busy(world, {
      ...{ limits: undefined, queueLimit: undefined },
      ...{ ...kind(), queueTimeout, clock },
    } as SuiteOptions);
    const longer = app.call('/150');
    await counts(limit, 1, 1);
    const shorter = app.call('/100');
    await counts(limit, 1, 2);
    clock.advance(99);
    expect(limit.queued).toBe(2);
    clock.advance(1);
    await timedOut(shorter);
    await counts(limit, 1, 1);
    clock.advance(50);
    await timedOut(longer);
    expect(limit.stats().rejected).toMatchObject({ timeout: 2 });
    work.finishAll();
    await holder.answer();
  });

  it('undefined means the default of 2 seconds', async () => {
    const clock = new VirtualClock();
    const { app, limit, work, holder } = await busy(world, { queueLimit: 1, queueTimeout, clock });
    const call = app.call('/');
    await counts(limit, 1, 1);
    clock.advance(1999);
    expect(limit.queued).toBe(1);
    clock.advance(1);
    await timedOut(call);
    work.finishAll();
    await holder.answer();
  });

  it.each([0, 0.5, 1])(
    'a request with a timeout of %d ms runs only if it need not wait',
    async (timeout) => {
      const clock = new VirtualClock();
      const options = { queueLimit: 1, queueTimeout: () => timeout, clock };
      const { app, limit, work, holder } = await busy(world, options);
      const call = app.call();
      if (timeout > 0) {
        await counts(limit, 1, 1);
        clock.advance(1);
      }
      expect((await call.answer()).status).toBe(503);
      work.finishAll();
      await holder.answer();
      expect(work.paths).toEqual(['/holder']);
    },
  );

  it('a request with a timeout of Infinity waits', async () => {
    const clock = new VirtualClock();
    const options = { queueLimit: 1, queueTimeout: () => Number.POSITIVE_INFINITY, clock };
    const { app, limit, work, holder } = await busy(world, options);
    const call = app.call();
    await counts(limit, 1, 1);
    clock.advance(60_000);
    expect(limit.queued).toBe(1);
    work.finishAll();
    await holder.answer();
    expect((await call.answer()).status).toBe(200);
  });

  it('undefined means the timeout of a reused limiter', async () => {
    const clock = new VirtualClock();
    const limiter = world.watch(createLimiter({ limit: 1, queueTimeout: 300, clock }));
    const { app, limit, work, holder } = await busy(world, {
      ...{ limit: undefined, queueLimit: undefined, limits: undefined },
      ...{ limiter, queueTimeout, clock },
    } as unknown as SuiteOptions);
    const [own, default_] = [app.call('/500'), app.call('/')];
    await counts(limit, 1, 2);
    clock.advance(300);
    await timedOut(default_);
    clock.advance(200);
    await timedOut(own);
    work.finishAll();
    await holder.answer();
  });

  it('each of several middleware uses its own function', async () => {
    // Headgate warns once in a process of a request that waits within another limit.
    collectWarnings('HEADGATE_NESTED_WAIT');
    const clock = new VirtualClock();
    const work = new Paused();
    const outer = world.limit({ name: 'outer', limit: 2, queueTimeout: () => 100, clock });
    const inner = world.limit({ name: 'inner', limit: 1, queueTimeout: () => 300, clock });
    const app = await world.serve({ use: outer }, { use: inner }, { handle: work.handler });
    const holder = app.call();
    await work.begins(1);
    const inside = app.call();
    await counts(inner, 1, 1);
    const outside = app.call();
    await counts(outer, 2, 1);
    clock.advance(100);
    await timedOut(outside);
    expect(inner.queued).toBe(1);
    clock.advance(200);
    await timedOut(inside);
    work.finishAll();
    await holder.answer();
  });
}
