import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { concurrencyLimit } from '@headgate/express';
import { Call, counts, ManualClock, Paused } from '@headgate/test-suite';
import express from 'express';
import { expect, it } from 'vitest';

it('leaves it to the app when an answer has begun that a refusal would replace', async () => {
  const clock = new ManualClock();
  const limit = concurrencyLimit({ limit: 1, queueLimit: 1, clock });
  const work = new Paused();
  const errors: unknown[] = [];
  const app = express();
  app.use((_req, res, next) => {
    res.write('begun ');
    next();
  });
  app.use(limit);
  app.use((_req, res) => {
    void work.handler({ path: '/', send: (_: number, body: string) => res.end(body) } as never);
  });
  const report: express.ErrorRequestHandler = (error, _req, res, _next) => {
    errors.push(error);
    res.end('broken off');
  };
  app.use(report);
  const server = http.createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const holder = new Call(port, '/', {});
  await work.begins(1);
  const waiter = new Call(port, '/', {});
  await counts(limit, 1, 1);
  clock.advance(2000);
  expect(await waiter.answer()).toMatchObject({ body: 'begun broken off' });
  expect(errors).toMatchObject([{ code: 'ERR_HTTP_HEADERS_SENT' }]);
  work.finishAll();
  expect(await holder.answer()).toMatchObject({ body: 'begun /' });
  await counts(limit, 0);
  await new Promise((resolve) => server.close(resolve));
});
