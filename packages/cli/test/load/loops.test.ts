import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { createCertificate } from '@headgate/test-servers';
import { afterEach, expect, test } from 'vitest';
import { Clients, closedLoop, openLoop, slope } from '../../src/load/index.ts';

const clients = new Clients();
let close = () => {};
afterEach(() => close());

async function listen(server: http.Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  close = () => {
    clients.close();
    server.closeAllConnections();
    server.close();
  };
  return (server.address() as AddressInfo).port;
}

const at = (...times: number[]) => times.map((time) => ({ phase: 'even', at: time, draw: 0 }));

test('an open loop sends on time to a server that never answers, and gives up', async () => {
  let open = 0;
  const server = http.createServer(() => {});
  server.on('connection', (socket) => {
    open++;
    socket.on('close', () => open--);
  });
  const port = await listen(server);
  const schedule = at(...Array.from({ length: 20 }, (_, index) => index * 10));
  const attempts = await openLoop(schedule, 300, async (_, timeout) => {
    return (await clients.send({ port }, timeout)).outcome;
  });
  expect(attempts.map(({ outcome }) => outcome)).toEqual(schedule.map(() => 'gaveUp'));
  // Sequential requests would be late by up to 19 × 300 ms.
  expect(Math.max(...attempts.map(({ late }) => late))).toBeLessThan(1_500);
  await expect.poll(() => open).toBe(0);
});

test('an open loop that is too late stops sending', async () => {
  const attempts = await openLoop(at(-200, 0), 300, async () => 'answered', 100);
  expect(attempts).toEqual([]);
});

test('a client distinguishes the outcomes, and sends method, headers and body', async () => {
  const statuses = [200, 503, 429, 500, 302];
  const server = http.createServer((req, res) => {
    expect([req.method, req.headers.accept]).toEqual(['POST', 'a/b']);
    res.writeHead(statuses.shift() ?? 200, { location: '/other' });
    req.pipe(res);
  });
  const port = await listen(server);
  const call = { port, method: 'POST', headers: { accept: 'a/b' }, body: 'x' };
  const answers = [];
  while (statuses.length > 0) answers.push(await clients.send(call, 10_000));
  const outcomes = answers.map(({ outcome }) => outcome);
  expect(outcomes).toEqual(['answered', 'rejected', 'rejected', 'failed', 'failed']);
  expect(answers.at(-1)).toEqual({ outcome: 'failed', status: 302, location: '/other' });
});

test('a body that does not end in time is no answer', async () => {
  const server = http.createServer((_req, res) => void res.write('the first part'));
  const answer = await clients.send({ port: await listen(server) }, 200);
  expect(answer).toMatchObject({ outcome: 'gaveUp', status: 200 });
});

test('a client trusts a self-signed certificate if rejectUnauthorized is false', async () => {
  const server = https.createServer(await createCertificate(), (_req, res) => res.end());
  const call = { protocol: 'https:', hostname: 'localhost', port: await listen(server) };
  expect(await clients.send(call, 10_000)).toMatchObject({ outcome: 'failed', status: 0 });
  const trusting = await clients.send({ ...call, rejectUnauthorized: false }, 10_000);
  expect(trusting).toMatchObject({ outcome: 'answered', status: 200 });
});

test('clients in a closed loop have one request each, and pause after a rejection', async () => {
  let [running, peak, count] = [0, 0, 0];
  const { rate, outcomes } = await closedLoop(
    { clients: 3, duration: 100, minAnswers: 5 },
    async () => {
      peak = Math.max(peak, ++running);
      await new Promise((resolve) => setTimeout(resolve, 5));
      running--;
      return count++ % 2 === 0 ? 'answered' : 'rejected';
    },
  );
  expect(peak).toBe(3);
  expect(rate).toBeGreaterThan(0);
  expect(outcomes.answered).toBeGreaterThan(0);
  expect(outcomes.rejected).toBeGreaterThan(0);
});

test('slope is the number of values per unit, also of values in batches', () => {
  expect(slope([0, 100, 200, 300])).toBeCloseTo(0.01);
  const batches = Array.from({ length: 400 }, (_, i) => Math.floor(i / 10) * 50);
  expect(slope(batches)).toBeCloseTo(0.2, 3);
});
