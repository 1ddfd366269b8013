import { concurrencyLimit, guard, roundTrip } from '@headgate/express';
import { collectWarnings } from '@headgate/test-kit/warnings';
import { until } from '@headgate/test-suite';
import express from 'express';
import { Redis } from 'ioredis';
import { expect, it, onTestFinished } from 'vitest';
import { useServer } from './server.ts';

const { server, admin } = await useServer();

it('a guard rejects most requests while Redis does not answer, and admits them when it does', async () => {
  const redis = new Redis(server.port, '127.0.0.1');
  const signal = roundTrip(() => redis.ping(), { target: 50 });
  const app = express();
  app.use(concurrencyLimit({ limit: 10, guard: guard({ name: 'redis', signals: [signal] }) }));
  app.get('/', (_req, res) => void res.send('ok'));
  const listener = app.listen(0, '127.0.0.1');
  onTestFinished(() => {
    listener.close();
    redis.disconnect();
  });
  await until(() => listener.listening);
  const { port } = listener.address() as { port: number };
  const status = async () => (await fetch(`http://127.0.0.1:${port}/`)).status;

  collectWarnings();
  expect(await status()).toBe(200);
  await admin.client('PAUSE', 1000, 'ALL');
  let rejected = 0;
  while (rejected < 5) if ((await status()) === 503) rejected++;
  let admitted = 0;
  while (admitted < 20) admitted = (await status()) === 200 ? admitted + 1 : 0;
});
