import { createServer } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { concurrencyLimit as limitFastify } from '@headgate/fastify';
import { concurrencyLimit as limitKoa } from '@headgate/koa';
import Fastify from 'fastify';
import Koa from 'koa';
import { HANDLER_MS, type Kinds } from './kind.ts';
import { limiter } from './limit.ts';

export const frameworks: Kinds = {
  Koa: {
    serve() {
      const app = new Koa();
      app.use(limitKoa({ limiter }));
      app.use(async (ctx) => {
        await delay(HANDLER_MS);
        ctx.body = 'done';
      });
      return createServer(app.callback());
    },
  },
  'Fastify, `clearTimeout` on `close` of the response': {
    async serve() {
      const app = Fastify();
      await app.register(limitFastify({ limiter }));
      app.get('*', (_request, reply) => {
        const timer = setTimeout(() => reply.send('done'), HANDLER_MS);
        reply.raw.on('close', () => clearTimeout(timer));
      });
      await app.ready();
      return app.server;
    },
  },
};
