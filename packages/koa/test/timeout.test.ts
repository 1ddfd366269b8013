import { setTimeout as sleep } from 'node:timers/promises';
import { concurrencyLimit } from '@headgate/koa';
import { expectHeldAfterTimeout } from '@headgate/test-kit/held-after-timeout';
import { worldOfEachTest } from '@headgate/test-suite';
import Koa from 'koa';
import { it } from 'vitest';
import { koaFramework } from './framework.ts';

const world = worldOfEachTest(koaFramework('Koa 3', Koa));

it('a timeout middleware before the limit leaves the permit until the handler is done', async () => {
  const limit = world.watch(concurrencyLimit({ limit: 1 }));
  await expectHeldAfterTimeout(limit, async (work) => {
    const app = new Koa()
      // As koa-timeout and its kind: whichever is done first responds.
      .use(async (ctx, next) => {
        const isLate = await Promise.race([next(), sleep(10, true)]);
        if (isLate) ctx.status = 503;
      })
      .use(limit as Koa.Middleware)
      .use(async (ctx) => {
        await work();
        ctx.body = 'done';
      });
    const running = await world.serveThrough(() => app.callback());
    return () => running.call('/').answer();
  });
});
