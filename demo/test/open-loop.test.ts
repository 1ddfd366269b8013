import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { hangUp } from '../src/client.ts';
import { openLoop } from '../src/open-loop.ts';

let close = () => {};
afterEach(() => close());

async function listen(server: ReturnType<typeof createServer>): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  close = () => {
    hangUp();
    server.closeAllConnections();
    server.close();
  };
  return (server.address() as AddressInfo).port;
}

test('sends on time to a server that never answers, and gives up', async () => {
  let open = 0;
  const server = createServer(() => {});
  server.on('connection', (socket) => {
    open++;
    socket.on('close', () => open--);
  });
  const due = Array.from({ length: 20 }, (_, index) => index * 10);
  const attempts = await openLoop(await listen(server), due, 300, () => {});

  expect(attempts.map(({ outcome }) => outcome)).toEqual(due.map(() => 'gaveUp'));
  // Sequential requests would be late by up to 19 × 300 ms.
  expect(Math.max(...attempts.map(({ late }) => late))).toBeLessThan(1_500);
  await expect.poll(() => open).toBe(0);
});

test('distinguishes the outcomes', async () => {
  const statuses = [200, 503, 500];
  const server = createServer((_req, res) => res.writeHead(statuses.shift() ?? 200).end());
  const attempts = await openLoop(await listen(server), [0, 60, 120], 5_000, () => {});
  expect(attempts.map(({ outcome }) => outcome)).toEqual(['answered', 'rejected', 'failed']);
});

test('reports its progress', async () => {
  const server = createServer((_req, res) => res.end());
  const tallies: number[] = [];
  await openLoop(await listen(server), [0, 600], 1_000, ({ sent }) => tallies.push(sent));
  expect(tallies).toContain(1);
});
