import { createServer, type RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Rejection } from '@headgate/core';
import { type ConcurrencyLimit, concurrencyLimit } from '@headgate/fastify';
import {
  adapted,
  type FrameworkDriver,
  type OnReject,
  type Step,
  type SuiteApp,
  type SuiteContext,
} from '@headgate/test-suite';
import type Fastify from 'fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** What `key` and other functions of the request do not get. */
const replies = new WeakMap<FastifyRequest, FastifyReply>();

/** Builds the suite's apps with either version of Fastify. */
export function fastifyFramework(
  name: string,
  version: typeof Fastify,
): FrameworkDriver<ConcurrencyLimit> {
  return {
    name,
    can: { tracksHandlers: true, http2: true },

    limit: (options) =>
      concurrencyLimit(
        adapted(options, contextOf, reject, (reply: FastifyReply) => reply.statusCode),
      ),

    listener: (app) => listenerOf(fastifyApp(app, version)),
  };
}

export function fastifyApp(
  { steps, onError }: SuiteApp<ConcurrencyLimit>,
  version: typeof Fastify,
): FastifyInstance {
  // With a server of its own, Fastify 4 also accepts HTTP/2.
  const app = version({ serverFactory: (handler) => createServer(handler) });
  app.setErrorHandler((error, _request, reply) => {
    onError(error);
    reply.send(error);
  });
  app.addHook('onRequest', (request, reply, next) => {
    replies.set(request, reply);
    // The adapter logs errors after the response; Fastify itself logs with `reply.log`.
    request.log = Object.assign(Object.create(request.log), { error: onError });
    next();
  });
  // The suite reads bodies itself.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));
  add(app, steps);
  return app;
}

/** Fastify starts asynchronously. */
function listenerOf(app: FastifyInstance): RequestListener {
  let isReady = false;
  const ready = app.ready().then(() => {
    isReady = true;
  });
  return (req, res) => {
    if (isReady) app.routing(req, res);
    else void ready.then(() => app.routing(req, res));
  };
}

function add(app: FastifyInstance, steps: readonly Step<ConcurrencyLimit>[]): void {
  for (const step of steps) {
    if ('use' in step) app.register(step.use);
    else app.register(async (scope) => addRoute(scope, step));
  }
}

function addRoute(app: FastifyInstance, step: Exclude<Step<ConcurrencyLimit>, { use: unknown }>) {
  if ('mount' in step) {
    app.register(async (scope) => add(scope, step.steps), { prefix: step.mount });
    return;
  }
  const { path = '*', method = 'GET', handle } = step;
  const handler = async (request: FastifyRequest, reply: FastifyReply) => {
    const context = contextOf(request, reply);
    await handle(context);
    return context.hasReplied() ? reply : undefined;
  };
  if (step.path === undefined) app.all(path, handler);
  else app.route({ method, url: path, handler });
}

function reject(onReject: OnReject) {
  return (rejection: Rejection, request: FastifyRequest, reply: FastifyReply, next: () => void) =>
    onReject(rejection, contextOf(request, reply), next);
}

function contextOf(
  request: FastifyRequest,
  reply = replies.get(request) as FastifyReply,
): SuiteContext & { hasReplied(): boolean } {
  let hasReplied = false;
  return {
    hasReplied: () => hasReplied,
    method: request.method,
    path: request.url.split('?', 1)[0] as string,
    header: (name) => request.headers[name.toLowerCase()] as string | undefined,
    body: () => text(request.raw),
    admission: request.admission,
    incoming: request.raw,
    outgoing: reply.raw,
    send: (status, body = '', headers = {}) => {
      hasReplied = true;
      reply.code(status).headers(headers).send(body);
    },
    stream: (body, headers = {}) => {
      hasReplied = true;
      reply.headers(headers).send(body);
    },
  };
}
