import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { concurrencyLimit } from '@headgate/node';
import { expect, it, onTestFinished } from 'vitest';

it('with sampleAt: first-byte, a streamed response is judged when its body begins', async () => {
  const outcomes: string[] = [];
  const sample = ({ outcome }: { outcome: string }) => void outcomes.push(outcome);
  const limit = { create: () => ({ limit: 5, sample }) };
  const limited = concurrencyLimit({ limit, sampleAt: 'first-byte' });
  let end = () => {};
  const handler = limited((_req, res) => {
    res.flushHeaders();
    expect(outcomes).toEqual([]);
    res.write('first ');
    end = () => void res.end('last');
  });
  const server = createServer(handler).listen(0);
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const sent = request({ port }).end();
  const [response] = await once(sent, 'response');
  await once(response, 'data');
  expect([outcomes, limited.holders]).toEqual([['ok'], 1]);
  end();
  await once(response.resume(), 'end');
  await expect.poll(() => limited.holders).toBe(0);
  expect(outcomes).toEqual(['ok']);
});
