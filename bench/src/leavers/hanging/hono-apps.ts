import { createServer, type Server } from 'node:http';
import { concurrencyLimit } from '@headgate/hono';
import { getRequestListener } from '@hono/node-server';
import { Hono, type MiddlewareHandler } from 'hono';
import { type Apps, behindHook } from './app.ts';
import { options } from './limit.ts';
import type { Work } from './work.ts';

function serverOf(work: Work, ...limits: MiddlewareHandler[]): Server {
  const app = new Hono();
  for (const limit of limits) app.use(limit);
  app.get('*', async (c) => {
    await work.for(c.req.path);
    return c.text('done');
  });
  return createServer(getRequestListener(app.fetch));
}

export const apps: Apps = {
  Hono: (work) => serverOf(work, concurrencyLimit(options)),
  'Hono behind the hook': behindHook(serverOf),
};
