import type { Server } from 'node:http';
import { concurrencyLimit } from '@headgate/fastify';
import Fastify, { type RouteHandlerMethod } from 'fastify';
import { type Apps, behindHook } from './app.ts';
import { options } from './limit.ts';
import { paths, type Work } from './work.ts';

type HandlerOf = (work: Work) => RouteHandlerMethod;

const promise: HandlerOf = (work) => async (request) => {
  await work.for(request.url);
  return 'done';
};

const callback: HandlerOf = (work) => (request, reply) => {
  work.for(request.url).then(() => reply.send('done'));
};

const callbackWithReply: HandlerOf = (work) => (request, reply) => {
  work.for(request.url).then(() => reply.send('done'));
  return reply;
};

async function serverOf(handler: RouteHandlerMethod, isLimited: boolean): Promise<Server> {
  const app = Fastify();
  if (isLimited) await app.register(concurrencyLimit(options));
  for (const path of paths) app.get(path, handler);
  await app.ready();
  return app.server;
}

export const apps: Apps = {
  'Fastify, async': (work) => serverOf(promise(work), true),
  'Fastify, callback': (work) => serverOf(callback(work), true),
  'Fastify, callback, returns the reply': (work) => serverOf(callbackWithReply(work), true),
  'Fastify behind the hook, async': behindHook((work) => serverOf(promise(work), false)),
};
