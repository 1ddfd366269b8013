import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { concurrencyLimit } from '@headgate/node';
import { uncaughtIn } from '@headgate/test-kit/uncaught';
import { counts, worldOfEachTest } from '@headgate/test-suite';
import { getRequestListener } from '@hono/node-server';
import express from 'express';
import express4 from 'express4';
import fastify from 'fastify';
import { Hono } from 'hono';
import Koa from 'koa';
import { describe, expect, it } from 'vitest';
import { expressFramework } from '../framework.ts';

/** As connect, polka, sirv and serve-static do: without a `next`, they respond themselves. */
function connectLike(_req: IncomingMessage, res: ServerResponse, next?: () => void): void {
  if (next === undefined) res.writeHead(404).end();
  else next();
}

describe('the limit of @headgate/node in front of an app', () => {
  const world = worldOfEachTest(expressFramework('Express 5', express));

  it.each<[string, () => RequestListener]>([
    ['Express 5', () => express().set('env', 'test')],
    ['Express 4', () => express4().set('env', 'test')],
    ['Koa', () => new Koa().callback()],
    ['Hono', () => getRequestListener(new Hono().fetch) as RequestListener],
    ['connect', () => connectLike],
  ])('lets %s respond to a request without a route', async (_, app) => {
    const limit = world.watch(concurrencyLimit({ limit: 1 }));
    const running = await world.serveThrough(() => limit(app()));
    const errors = await uncaughtIn(async () => {
      for (const _ of [1, 2])
        expect(await running.call('/none').answer()).toMatchObject({ status: 404 });
    });
    expect(errors).toEqual([]);
    await counts(limit, 0);
  });

  it('lets Fastify respond to a request without a route', async () => {
    const limit = world.watch(concurrencyLimit({ limit: 1 }));
    const app = fastify();
    world.later(() => app.close());
    await app.ready();
    const running = await world.serveThrough(() => limit((req, res) => app.routing(req, res)));
    expect(await running.call('/none').answer()).toMatchObject({ status: 404 });
    await counts(limit, 0);
  });
});
