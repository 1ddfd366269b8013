import { once } from 'node:events';
import { get, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { createApp } from '../src/app.ts';
import { credentials, hangUp, visit } from '../src/client.ts';

let server: Server | undefined;
afterEach(() => {
  hangUp();
  server?.closeAllConnections();
  server?.close();
});

async function serve(protection?: Parameters<typeof createApp>[0]) {
  const { app, work } = await createApp(protection);
  server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, work };
}

test('answers clients with the password and no others', async () => {
  const { port, work } = await serve();
  const url = `http://127.0.0.1:${port}/account`;
  const as = (user: string) => ({ authorization: `Basic ${btoa(user)}` });
  expect((await fetch(url, { headers: as(credentials) })).status).toBe(200);
  expect((await fetch(url, { headers: as('ada:wrong') })).status).toBe(401);
  expect((await fetch(url)).status).toBe(401);
  expect(work).toEqual({ done: 3, wasted: 0 });
});

test('counts the work done for disconnected clients', async () => {
  const { port, work } = await serve();
  const request = get({ port, path: '/account', auth: credentials }).on('error', () => {});
  await once(server as Server, 'request');
  request.destroy();
  await expect.poll(() => work, { timeout: 5_000 }).toEqual({ done: 1, wasted: 1 });
});

test('with Headgate, rejects what cannot be answered in time, without hashing', async () => {
  const { port, work } = await serve({ limit: 1, queueLimit: 1, queueTimeout: 5_000 });
  const outcomes = await Promise.all(Array.from({ length: 5 }, () => visit(port, 5_000)));
  const answered = outcomes.filter((outcome) => outcome === 'answered').length;
  const rejected = outcomes.filter((outcome) => outcome === 'rejected').length;
  expect(answered + rejected).toBe(5);
  expect(rejected).toBeGreaterThan(0);
  expect(work).toEqual({ done: answered, wasted: 0 });
});
