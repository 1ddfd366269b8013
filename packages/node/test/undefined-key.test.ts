import { once } from 'node:events';
import { Agent, createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { concurrencyLimit } from '@headgate/node';
import { collectWarnings } from '@headgate/test-suite/kit';
import { expect, it } from 'vitest';

/** Sends 1,000 requests, one after the other. */
async function sendRequests(key: (count: number) => string | undefined): Promise<void> {
  let count = 0;
  const limit = concurrencyLimit({ name: 'users', limit: 1, key: () => key(++count) });
  const server = createServer(limit((_req, res) => res.end())).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const agent = new Agent({ keepAlive: true });
  while (count < 1000) {
    const [response] = await once(get({ port, agent }), 'response');
    await once(response.resume(), 'end');
  }
  agent.destroy();
  server.close();
}

it('warns if the key of a limit was undefined for a thousand requests', async () => {
  const warnings = collectWarnings('HEADGATE_KEY_UNDEFINED');
  await sendRequests((count) => (count < 500 ? undefined : 'user'));
  expect(warnings).toEqual([]);
  await sendRequests(() => undefined);
  expect(warnings).toEqual([expect.stringMatching(/"users".*1000 requests/)]);
});
