import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { createLimiter } from '@headgate/core';
import { type ConcurrencyLimitOptions, concurrencyLimit } from '@headgate/express';
import { redisStore } from '@headgate/redis';
import { startRedis } from '@headgate/test-servers';
import express from 'express';
import { Redis } from 'ioredis';
import { expect, it, onTestFinished } from 'vitest';
import { describeTrip, shortestOf, shortestTripOf, type Trip, tripOf } from './recorder.ts';

const page = readFileSync(new URL('../../../CONTRIBUTING.md', import.meta.url), 'utf8');

/** The rows of its table. */
const rows = [...page.matchAll(/^\| (.+?) \| (\d+) \| (\d+) \|$/gm)];

function expectAtMost(name: string, trip: Trip): void {
  const [, , files, returns] = rows.find(([, row]) => row === name) ?? [];
  const told = `${name}: ${trip.files} files, ${trip.returns} returns\n${describeTrip(trip)}`;
  expect(trip.files, told).toBeLessThanOrEqual(Number(files));
  expect(trip.returns, told).toBeLessThanOrEqual(Number(returns));
}

/** An Express app whose handler of `/held` responds later. */
async function serve(options: ConcurrencyLimitOptions) {
  const held: ServerResponse[] = [];
  const app = express();
  app.use(concurrencyLimit(options));
  app.get('/', (_request, response) => response.end());
  app.get('/held', (_request, response) => held.push(response));
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  /** Sends a request. Resolves when the middleware has admitted, queued or rejected it. */
  const send = async (path: string) => {
    // A client of Node would be observed, since it shares the process of the server.
    const socket = connect(port, '127.0.0.1').resume();
    socket.write(`GET ${path} HTTP/1.1\r\nhost: app\r\nconnection: close\r\n\r\n`);
    const [, response] = await once(server, 'request');
    return response as ServerResponse;
  };
  const closed = new WeakMap<ServerResponse, Promise<unknown>>();
  server.prependListener('request', (_request, response) => {
    closed.set(response, once(response, 'close'));
  });
  /** Resolves when the middleware knows that the response has ended. */
  const answered = async (response: ServerResponse) => {
    await closed.get(response);
    await setImmediate();
  };
  const request = async (path: string) => answered(await send(path));
  // The first requests compile paths, look for mistakes, and so on.
  for (let count = 0; count < 3; count++) await request('/');
  return { send, answered, request, held };
}

const one = { limit: 1, queueLimit: 1, queueTimeout: 30_000 };

it('a request of Express visits as few files as the table says', async () => {
  const { send, answered, request, held } = await serve(one);
  expectAtMost('Express, admitted, answered, released', await shortestTripOf(() => request('/')));
  const rounds = [await queueOne(), await queueOne(), await queueOne()];
  const shortest = (name: 'queued' | 'rejected' | 'handedOn') =>
    shortestOf(rounds.map((trips) => trips[name]));
  expectAtMost('queued', shortest('queued'));
  expectAtMost('rejected', shortest('rejected'));
  expectAtMost('one ends, the next is granted, answered, released', shortest('handedOn'));

  async function queueOne() {
    let second = await send('/held');
    const queued = await tripOf(async () => {
      second = await send('/');
    });
    const rejected = await tripOf(() => request('/'));
    const handedOn = await tripOf(async () => {
      held.pop()?.end();
      await answered(second);
    });
    return { queued, rejected, handedOn };
  }
});

it('a request of the default limit visits as few files as the table says', async () => {
  const { request } = await serve({});
  // Its first requests are special: they are the first baseline of the adaptive limit.
  for (let count = 0; count < 20; count++) await request('/');
  expectAtMost(
    'default limit, admitted, answered, released',
    await shortestTripOf(() => request('/')),
  );
});

it('a request of two limits visits as few files as the table says', async () => {
  const limits = [
    { name: 'route', route: '/', limit: 5 },
    { name: 'app', limit: 1 },
  ];
  const { request } = await serve({ limits });
  expectAtMost(
    'two limits, admitted, answered, released',
    await shortestTripOf(() => request('/')),
  );
});

it('a permit of a limit in Redis visits as few files as the table says', async () => {
  const { port } = await startRedis();
  const client = new Redis(port);
  const limiter = createLimiter({ name: 'app', limit: 1, store: redisStore({ client }) });
  onTestFinished(async () => {
    await limiter.close();
    client.disconnect();
  });
  for (let count = 0; count < 2; count++) (await limiter.acquire()).release();
  const trip = await shortestTripOf(async () => (await limiter.acquire()).release());
  expectAtMost('Redis, `acquire` and `release`', trip);
});
