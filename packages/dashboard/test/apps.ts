import type { Server } from 'node:http';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Handle } from '@headgate/core';
import { collectWarnings } from '@headgate/test-suite/kit';
import { getRequestListener } from '@hono/node-server';
import express, { type RequestHandler } from 'express';
import express4 from 'express4';
import Fastify from 'fastify';
import Fastify4 from 'fastify4';
import { Hono } from 'hono';
import Koa from 'koa';
import { expect, onTestFinished, vi } from 'vitest';
import type { OperatorBounds } from '../src/bounds.ts';
import * as forExpress from '../src/express.ts';
import * as forFastify from '../src/fastify.ts';
import * as forHono from '../src/hono.ts';
import * as forKoa from '../src/koa.ts';
import * as forNode from '../src/node.ts';
import type { Access, DashboardHandle } from '../src/options.ts';

/** Options that do not depend on the framework. */
export interface AppOptions {
  limits: readonly Handle[] | (() => readonly Handle[]);
  /** Is called with a function that reads a header. Default: everyone may view. `undefined`: the dashboard has no `authorize`. */
  authorize?:
    | ((header: (name: string) => string | undefined) => Access | Promise<Access>)
    | undefined;
  bounds?: Readonly<Record<string, OperatorBounds>> | undefined;
  /** Where the page is. Default: /admin/limits. */
  path?: string | undefined;
  /** Runs before the dashboard, in Express. */
  before?: readonly RequestHandler[] | undefined;
}

export interface App {
  /** Without a path. */
  readonly url: string;
  readonly handle: DashboardHandle;
  /** What has reached the error handling of the framework. */
  readonly errors: unknown[];
  readonly server: Server;
}

export type Start = (
  options: AppOptions,
  errors: unknown[],
) => { server: Server; handle: DashboardHandle };

function startExpress(version: typeof express): Start {
  return ({ limits, authorize, bounds, path = '/admin/limits', before = [] }, errors) => {
    const app = version();
    app.set('env', 'test');
    const handle = forExpress.dashboard({
      ...{ limits, bounds },
      authorize: authorize && ((req) => authorize((name) => req.get(name))),
    });
    for (const middleware of before) app.use(middleware);
    app.use(path, handle);
    app.get('/after', (_req, res) => void res.send('after'));
    const onError: express.ErrorRequestHandler = (error, _req, res, _next) => {
      errors.push(error);
      res.status(500).send('failed');
    };
    app.use(onError);
    return { server: createServer(app), handle };
  };
}

const startKoa: Start = ({ limits, authorize, bounds, path = '/admin/limits' }, errors) => {
  const app = new Koa();
  app.on('error', (error) => errors.push(error));
  const handle = forKoa.dashboard({
    path,
    ...{ limits, bounds },
    authorize: authorize && ((ctx) => authorize((name) => ctx.get(name) || undefined)),
  });
  app.use(handle);
  app.use((ctx) => {
    ctx.body = 'after';
  });
  return { server: createServer(app.callback()), handle };
};

const startHono: Start = ({ limits, authorize, bounds, path = '/admin/limits' }, errors) => {
  const app = new Hono();
  app.onError((error, c) => {
    errors.push(error);
    return c.text('failed', 500);
  });
  const handle = forHono.dashboard({
    ...{ limits, bounds },
    authorize: authorize && ((c) => authorize((name) => c.req.header(name))),
  });
  app.use(`${path}/*`, handle);
  app.get('/after', (c) => c.text('after'));
  return { server: createServer(getRequestListener(app.fetch)), handle };
};

function startFastify(version: typeof Fastify): Start {
  return ({ limits, authorize, bounds, path = '/admin/limits' }, errors) => {
    const app = version();
    app.setErrorHandler((error, _request, reply) => {
      errors.push(error);
      void reply.code(500).send('failed');
    });
    const handle = forFastify.dashboard({
      ...{ limits, bounds },
      authorize: authorize && (({ headers }) => authorize((name) => headers[name]?.toString())),
    });
    app.register(handle, { prefix: path });
    app.get('/after', async () => 'after');
    const ready = app.ready();
    const server = createServer((req, res) => void ready.then(() => app.routing(req, res)));
    return { server, handle };
  };
}

const startNode: Start = ({ limits, authorize, bounds, path = '/admin/limits' }, errors) => {
  const handle = forNode.dashboard({
    path,
    ...{ limits, bounds },
    authorize: authorize && (({ headers }) => authorize((name) => headers[name]?.toString())),
  });
  const print = vi.spyOn(console, 'error').mockImplementation((error) => void errors.push(error));
  onTestFinished(() => print.mockRestore());
  return { server: createServer(handle((_req, res) => res.end('after'))), handle };
};

export const inExpress = startExpress(express);

export const frameworks: readonly (readonly [name: string, start: Start])[] = [
  ['Express 5', inExpress],
  ['Express 4', startExpress(express4 as unknown as typeof express)],
  ['Koa', startKoa],
  ['Hono', startHono],
  ['Fastify 5', startFastify(Fastify)],
  ['Fastify 4', startFastify(Fastify4 as unknown as typeof Fastify)],
  ['node:http', startNode],
];

/** Starts an app with a dashboard, on loopback, until the test has finished. */
export async function startApp(start: Start, options: AppOptions): Promise<App> {
  const errors: unknown[] = [];
  const { server, handle } = start({ authorize: () => 'view', ...options }, errors);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    handle.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, handle, errors, server };
}

/** What the process prints at the first request without it, to a dashboard without `authorize`. */
export async function tokenOf(url: string): Promise<string> {
  const warnings = collectWarnings('HEADGATE_DASHBOARD_TOKEN');
  expect((await fetch(url)).status).toBe(403);
  await expect.poll(() => warnings).toHaveLength(1);
  return /\?token=([\w-]+)/.exec(`${warnings[0]}`)?.[1] as string;
}

/** A client that opens the stream of events and never reads it. */
export async function openUnread(url: string): Promise<Socket> {
  const { hostname, port, pathname } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.pause();
  socket.on('error', () => {});
  await new Promise((resolve) => socket.once('connect', resolve));
  const fields = `Host: ${hostname}:${port}\r\nConnection: keep-alive\r\n`;
  socket.write(`GET ${pathname} HTTP/1.1\r\n${fields}\r\n`);
  onTestFinished(() => void socket.destroy());
  return socket;
}

/** A client of the stream of events. */
export class EventClient {
  readonly #reader: ReadableStreamDefaultReader<string>;
  #text = '';

  constructor(readonly response: Response) {
    const body = response.body as ReadableStream<Uint8Array>;
    this.#reader = body.pipeThrough(new TextDecoderStream() as never).getReader() as never;
  }

  static async open(url: string, init: RequestInit = {}): Promise<EventClient> {
    return new EventClient(await fetch(url, init));
  }

  /** The next message; undefined at the end of the stream. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read what they expect
  async next(): Promise<any> {
    for (;;) {
      const end = this.#text.indexOf('\n\n');
      if (end >= 0) {
        const event = this.#text.slice(0, end);
        this.#text = this.#text.slice(end + 2);
        return JSON.parse(event.replace(/^data: /, ''));
      }
      const { done, value } = await this.#reader.read();
      if (done) return undefined;
      this.#text += value;
    }
  }

  async close(): Promise<void> {
    await this.#reader.cancel().catch(() => {});
  }
}
