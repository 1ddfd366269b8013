import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { concurrencyLimit } from '@headgate/express';
import { instrument as instrumentPrometheus } from '@headgate/prometheus';
import { WatchedRequest } from '@headgate/test-kit/watched-request';
import express from 'express';
import { Registry } from 'prom-client';
import { expect, it, onTestFinished } from 'vitest';
import { instrument } from '../src/index.ts';
import { metered } from './sdk.ts';

it.each([
  ['the default limit', {}],
  ['a fixed limit', { limit: 2, queueLimit: 9, queueTimeout: 20_000, maxHold: 60_000 }],
])(
  'nothing that a limited and measured request starts keeps its async context: %s',
  async (name, options) => {
    const request = new WatchedRequest();
    const { meter, exported } = metered();
    const register = new Registry();
    const limit = concurrencyLimit({ name, ...options });
    let requests = 0;
    const app = express();
    app.use((_req, res, next) => {
      // For this header, Node starts a timer of up to a second, which keeps the context of the first request.
      res.sendDate = false;
      void (requests++ === 0 ? request.run(() => next()) : next());
    });
    app.use((_req, _res, next) => {
      if (requests === 1) {
        instrument(limit, { meter });
        instrumentPrometheus(limit, { register });
      }
      next();
    });
    app.use(limit);
    app.get('/', async (_req, res) => {
      await delay(5);
      res.send('ok');
    });
    const server = app.listen(0, '127.0.0.1');
    onTestFinished(() => void server.close().closeAllConnections());
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const get = async () => (await fetch(url)).text();
    await get();
    let hasEnded = false;
    const client = async () => {
      while (!hasEnded) await get();
    };
    const clients = Promise.all(Array.from({ length: 5 }, client));
    const remains = await request.remains();
    hasEnded = true;
    await clients;
    expect(remains).toEqual([]);
    expect((await exported()).length).toBeGreaterThan(0);
    expect(await register.metrics()).toContain(name);
  },
);
