import { once } from 'node:events';
import http, { type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as forExpress from '@headgate/express';
import * as forFastify from '@headgate/fastify';
import * as forHono from '@headgate/hono';
import * as forKoa from '@headgate/koa';
import * as forNode from '@headgate/node';
import { Call } from '@headgate/test-suite';
import { getRequestListener } from '@hono/node-server';
import express, { type ErrorRequestHandler } from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import Koa from 'koa';
import { afterEach, describe, expect, it } from 'vitest';

// biome-ignore lint/suspicious/noExplicitAny: an untyped program may pass anything
type Anything = any;
type Report = (error: unknown) => void;

const adapters = {
  '@headgate/express': forExpress,
  '@headgate/koa': forKoa,
  '@headgate/fastify': forFastify,
  '@headgate/hono': forHono,
  '@headgate/node': forNode,
};

/** Serves a middleware in each framework, which passes on what it throws. */
const servers: Record<string, (middleware: Anything, report: Report) => RequestListener> = {
  '@headgate/express': (middleware, report) => {
    const app = express().use(middleware);
    const reporting: ErrorRequestHandler = (error, _req, res, _next) => {
      report(error);
      res.status(500).end();
    };
    return app.use(reporting);
  },
  '@headgate/koa': (middleware, report) => {
    const app = new Koa().use(middleware);
    return app.on('error', report).callback();
  },
  '@headgate/hono': (middleware, report) => {
    const app = new Hono().use(middleware);
    app.onError((error, c) => {
      report(error);
      return c.body(null, 500);
    });
    return getRequestListener(app.fetch) as RequestListener;
  },
  '@headgate/node': (middleware, report) => (req, res) => {
    try {
      middleware(req, res);
    } catch (error) {
      report(error);
      res.writeHead(500).end();
    }
  },
};

describe('middleware used in the wrong framework', () => {
  const running: http.Server[] = [];

  afterEach(() => {
    for (const server of running.splice(0)) server.close();
  });

  /** The error that the framework gets when it serves this middleware. */
  async function errorOf(framework: string, middleware: Anything): Promise<Error> {
    const errors: unknown[] = [];
    const serve = servers[framework] as (typeof servers)[string];
    const server = http.createServer(serve(middleware, (error) => errors.push(error)));
    running.push(server);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { status } = await new Call((server.address() as AddressInfo).port, '/', {}).answer();
    expect(status).toBe(500);
    expect(errors).toHaveLength(1);
    return errors[0] as Error;
  }

  const frameworks = Object.keys(servers);
  const pairs = Object.keys(adapters).flatMap((adapter) =>
    frameworks
      .filter((framework) => framework !== adapter)
      .map((framework) => [adapter, framework]),
  ) as [keyof typeof adapters, string][];

  it('from @headgate/node is reported when a server calls it without a handler', async () => {
    const error = await errorOf('@headgate/node', forNode.concurrencyLimit({ limit: 1 }));
    expect(error).toMatchObject({ code: 'ERR_HEADGATE_MIDDLEWARE' });
    expect(error.message).toContain('createServer(limit(handler))');
  });

  it.each(pairs)('from %s names the right adapter when %s calls it', async (adapter, framework) => {
    const error = await errorOf(
      framework,
      (adapters[adapter].concurrencyLimit as Anything)({ limit: 1 }),
    );
    expect(error).toMatchObject({ code: 'ERR_HEADGATE_MIDDLEWARE' });
    expect(error.message).toContain(`the middleware of ${adapter}`);
    expect(error.message).toContain(framework);
  });

  const names = Object.keys(adapters) as (keyof typeof adapters)[];

  it.each(names.filter((name) => name !== '@headgate/fastify'))(
    'from %s names the right adapter when Fastify calls it',
    (adapter) => {
      const limit = (adapters[adapter].concurrencyLimit as Anything)({ limit: 1 });
      // Fastify does not catch what a plugin throws.
      expect(() => limit(fastify(), {}, () => {})).toThrow(
        expect.objectContaining({
          code: 'ERR_HEADGATE_MIDDLEWARE',
          message: expect.stringContaining('use @headgate/fastify'),
        }),
      );
    },
  );

  it.each(names.filter((name) => name !== '@headgate/node'))(
    'from %s names @headgate/node when it is called with a handler',
    (adapter) => {
      const limit = (adapters[adapter].concurrencyLimit as Anything)({ limit: 1 });
      expect(() => limit(() => {})).toThrow(
        expect.objectContaining({
          code: 'ERR_HEADGATE_MIDDLEWARE',
          message: expect.stringMatching(/use @headgate\/node$/),
        }),
      );
      // An app of Express is a function too.
      const remedy =
        adapter === '@headgate/fastify' ? 'register it' : 'use it in an app of its framework';
      expect(() => limit(express())).toThrow(`with unexpected arguments: ${remedy}`);
    },
  );

  it('from @headgate/node asks for a handler when it is called with something else', () => {
    const limit = adapters['@headgate/node'].concurrencyLimit() as Anything;
    expect(() => limit(5)).toThrow(
      'with unexpected arguments: pass it a handler: createServer(limit(handler))',
    );
  });

  it.each(names)(
    'from %s reports that concurrencyLimit itself was registered instead of its result',
    async (adapter) => {
      for (const framework of [adapter, '@headgate/node'].filter((name) => name in servers)) {
        const error = await errorOf(framework, adapters[adapter].concurrencyLimit);
        expect(error).toMatchObject({ code: 'ERR_HEADGATE_MIDDLEWARE' });
        expect(error.message).toContain(
          'concurrencyLimit must be called: app.use(concurrencyLimit())',
        );
      }
    },
  );
});

it.each(Object.entries(adapters))(
  '%s rejects an array of limits instead of counting it as no options',
  (_, { concurrencyLimit }) => {
    for (const limits of [[], [{ name: 'app', limit: 1 }]]) {
      expect(() => (concurrencyLimit as Anything)(limits)).toThrow(
        expect.objectContaining({
          code: 'ERR_HEADGATE_OPTION',
          message: `the options of concurrencyLimit must be an object, got an array of ${limits.length}`,
        }),
      );
    }
  },
);
