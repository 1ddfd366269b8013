import { concurrencyLimit } from '@headgate/express';
import { expectHeldAfterTimeout } from '@headgate/test-kit/held-after-timeout';
import { worldOfEachTest } from '@headgate/test-suite';
import timeout from 'connect-timeout';
import express, { type Request, type Response } from 'express';
import express4 from 'express4';
import { describe, it } from 'vitest';
import { expressFramework } from './framework.ts';

describe.each([
  ['Express 5', express],
  ['Express 4', express4 as unknown as typeof express],
])('connect-timeout in %s', (name, version) => {
  const world = worldOfEachTest(expressFramework(name, version));

  it('leaves the permit of a wrapped handler until the handler is done', async () => {
    const limit = world.watch(concurrencyLimit({ limit: 1 }));
    await expectHeldAfterTimeout(limit, async (work) => {
      const handler = limit.wrap(async (req, res) => {
        await work();
        if (!req.timedout) res.send('done');
      });
      const app = version()
        .use(timeout('10ms'))
        .get('/', handler)
        .use((_error: Error, _req: Request, res: Response, _next: unknown) => {
          res.sendStatus(503);
        });
      const running = await world.serveThrough(() => app);
      return () => running.call('/').answer();
    });
  });
});
