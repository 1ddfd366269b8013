import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { concurrencyLimit } from '@headgate/node';
import { Call } from '@headgate/test-suite';
import { collectWarnings } from '@headgate/test-suite/kit';
import { expect, it, onTestFinished } from 'vitest';

it('a server at ten times its capacity rejects requests on arrival that certainly time out', async () => {
  collectWarnings('HEADGATE_SHEDDING');
  const limit = concurrencyLimit({ limit: 4, queueTimeout: 1000 });
  const server = http.createServer(
    limit((_req, res) => void setTimeout(() => res.end('done'), 100)),
  );
  onTestFinished(() => void server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const answers: ReturnType<Call['answer']>[] = [];
  // Forty a second can be served.
  for (let tick = 0; tick < 60; tick++) {
    for (let count = 0; count < 20; count++) answers.push(new Call(port, '/', {}).answer());
    await delay(50);
  }
  const statuses = (await Promise.all(answers)).map(({ status }) => status);
  const { admitted, rejected } = limit.stats();
  expect(statuses.filter((status) => status === 200)).toHaveLength(admitted);
  expect(admitted).toBeGreaterThan(60);
  // Behind as many waiters as are served in three timeouts, every request is rejected.
  expect(rejected.full).toBeGreaterThan(rejected.timeout);
});
