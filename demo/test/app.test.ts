import { once } from 'node:events';
import { get, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { collectWarnings } from '@headgate/test-suite/kit';
import { afterEach, expect, test } from 'vitest';
import { createApp } from '../src/app.ts';
import { hangUp, visit } from '../src/client.ts';
import { connections } from '../src/database.ts';

let server: Server | undefined;
afterEach(() => {
  hangUp();
  server?.closeAllConnections();
  server?.close();
});

async function serve(isGuarded: boolean) {
  const { app, work } = createApp(isGuarded);
  server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, work };
}

test('queries as many at once as the database has connections, and all others later', async () => {
  const { port, work } = await serve(false);
  const outcomes = await Promise.all(
    Array.from({ length: 3 * connections }, () => visit(port, 10_000)),
  );
  expect(new Set(outcomes)).toEqual(new Set(['answered']));
  expect(work).toEqual({ done: 3 * connections, wasted: 0 });
});

test('counts the work done for disconnected clients', async () => {
  const { port, work } = await serve(false);
  const request = get({ port, path: '/article' }).on('error', () => {});
  await once(server as Server, 'request');
  request.destroy();
  await expect.poll(() => work, { timeout: 5_000 }).toEqual({ done: 1, wasted: 1 });
});

test('with Headgate, rejects what cannot be answered in time, without a query', async () => {
  collectWarnings('HEADGATE_SHEDDING');
  const { port, work } = await serve(true);
  const outcomes = await Promise.all(Array.from({ length: 300 }, () => visit(port, 20_000)));
  const answered = outcomes.filter((outcome) => outcome === 'answered').length;
  const rejected = outcomes.filter((outcome) => outcome === 'rejected').length;
  expect(answered + rejected).toBe(300);
  expect(answered).toBeGreaterThan(0);
  expect(rejected).toBeGreaterThan(0);
  expect(work).toEqual({ done: answered, wasted: 0 });
});
