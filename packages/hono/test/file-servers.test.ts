import type { RequestListener } from 'node:http';
import { fileServerSuite } from '@headgate/test-kit/file-server-suite';
import { getRequestListener } from '@hono/node-server';
import { serveStatic } from '@hono/node-server/serve-static';
import { Hono } from 'hono';
import { honoFramework } from './framework.ts';

fileServerSuite(honoFramework('Hono 4', Hono), {
  'serveStatic of @hono/node-server': (limit, root) => {
    const app = new Hono().use(limit).use(serveStatic({ root }));
    return getRequestListener(app.fetch) as RequestListener;
  },
});
