import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { concurrencyLimit } from '@headgate/node';
import { Call } from '@headgate/test-suite';
import { expect, it } from 'vitest';

it('answers a burst on an idle server although most of its requests wait for longer than 250 ms', async () => {
  const limit = concurrencyLimit();
  const server = http.createServer(
    limit((_req, res) => {
      const end = performance.now() + 6;
      while (performance.now() < end);
      res.end();
    }),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  for (let index = 0; index < 100; index++) await new Call(port, '/', {}).answer();
  const burst = Array.from({ length: 80 }, () => new Call(port, '/', {}));
  const answers = await Promise.all(burst.map((call) => call.answer()));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(80);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});
