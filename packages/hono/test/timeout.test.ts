import { concurrencyLimit } from '@headgate/hono';
import { expectHeldAfterTimeout } from '@headgate/test-kit/held-after-timeout';
import { worldOfEachTest } from '@headgate/test-suite';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { timeout } from 'hono/timeout';
import { it } from 'vitest';
import { honoFramework } from './framework.ts';

const world = worldOfEachTest(honoFramework('Hono 4', Hono));

it('timeout() before the limit leaves the permit until the handler is done', async () => {
  const limit = world.watch(concurrencyLimit({ limit: 1 }));
  await expectHeldAfterTimeout(limit, async (work) => {
    const app = new Hono().use(timeout(10), limit).get('/', async (c) => {
      await work();
      return c.text('done');
    });
    const running = await world.serveThrough(() => getRequestListener(app.fetch) as never);
    return () => running.call('/').answer();
  });
});
