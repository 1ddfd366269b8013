import { createServer, type Server } from 'node:http';
import { concurrencyLimit } from '@headgate/koa';
import Koa, { type Middleware } from 'koa';
import { type Apps, behindHook } from './app.ts';
import { options } from './limit.ts';
import type { Work } from './work.ts';

function serverOf(work: Work, ...limits: Middleware[]): Server {
  const app = new Koa();
  for (const limit of limits) app.use(limit);
  app.use(async (ctx) => {
    await work.for(ctx.url);
    ctx.body = 'done';
  });
  return createServer(app.callback());
}

export const apps: Apps = {
  Koa: (work) => serverOf(work, concurrencyLimit(options)),
  'Koa behind the hook': behindHook(serverOf),
};
