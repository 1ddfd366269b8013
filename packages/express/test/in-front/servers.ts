import { createServer, type Server } from 'node:http';
import { concurrencyLimit as expressLimit } from '@headgate/express';
import { concurrencyLimit as fastifyLimit } from '@headgate/fastify';
import { concurrencyLimit as honoLimit } from '@headgate/hono';
import { concurrencyLimit as koaLimit } from '@headgate/koa';
import type { ConcurrencyLimit } from '@headgate/node';
import { getRequestListener } from '@hono/node-server';
import Router from '@koa/router';
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import Koa from 'koa';
import type { LocalLimiter } from '../../src/index.ts';

/** A handler for the routes `/a/:id` and `/b/:id`, which returns the body. */
export type Handle = (path: string) => string | Promise<string>;

interface Parts {
  /** In front of the app. */
  readonly limit: ConcurrencyLimit;
  /** Also limits within the app. Default: no limit there. */
  readonly inside?: LocalLimiter | undefined;
  /** Called by a middleware that runs for every request. */
  readonly seen: (path: string) => void;
  readonly handle: Handle;
}

const routes = ['/a/:id', '/b/:id'];

/** The servers with a limit in front of each framework, as the documentation describes them. */
export const servers: Readonly<Record<string, (parts: Parts) => Promise<Server>>> = {
  async Express({ limit, inside, seen, handle }) {
    const app = express();
    app.use((req, _res, next) => {
      seen(req.path);
      next();
    });
    if (inside !== undefined) app.use(expressLimit({ limiter: inside }));
    for (const route of routes)
      app.get(route, async (req, res) => void res.send(await handle(req.path)));
    return createServer(limit(app));
  },

  async Koa({ limit, inside, seen, handle }) {
    const app = new Koa();
    app.use((ctx, next) => {
      seen(ctx.path);
      return next();
    });
    if (inside !== undefined) app.use(koaLimit({ limiter: inside }));
    const router = new Router();
    for (const route of routes)
      router.get(route, async (ctx) => {
        ctx.body = await handle(ctx.path);
      });
    app.use(router.routes());
    return createServer(limit(app.callback()));
  },

  async Hono({ limit, inside, seen, handle }) {
    const app = new Hono();
    app.use((c, next) => {
      seen(c.req.path);
      return next();
    });
    if (inside !== undefined) app.use(honoLimit({ limiter: inside }));
    for (const route of routes) app.get(route, async (c) => c.text(await handle(c.req.path)));
    return createServer(limit(getRequestListener(app.fetch)));
  },

  async Fastify({ limit, inside, seen, handle }) {
    const app = fastify({ serverFactory: (handler) => createServer(limit(handler)) });
    app.addHook('onRequest', async (request) => seen(request.url));
    if (inside !== undefined) await app.register(fastifyLimit({ limiter: inside }));
    for (const route of routes) app.get(route, async (request) => handle(request.url));
    await app.ready();
    return app.server;
  },
};
