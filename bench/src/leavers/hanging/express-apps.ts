import { createServer, type Server } from 'node:http';
import { concurrencyLimit } from '@headgate/express';
import { concurrencyLimit as limitListener } from '@headgate/node';
import express, { type RequestHandler } from 'express';
import type { Handler } from '../handler.ts';
import { type Apps, behindHook } from './app.ts';
import { callback, promise, silentPromise } from './handlers.ts';
import { options } from './limit.ts';
import { paths } from './work.ts';

/** As a logger does. */
const listenForClose: RequestHandler = (_req, res, next) => {
  res.on('close', () => {});
  next();
};

function appWith(middleware: readonly RequestHandler[], ...handlers: RequestHandler[]) {
  const app = express();
  for (const each of middleware) app.use(each);
  for (const path of paths) app.get(path, ...handlers);
  return app;
}

const limitedRoute = (handler: Handler): Server =>
  createServer(appWith([], concurrencyLimit(options), handler));

const limitedApp = (handler: Handler, ...behind: RequestHandler[]): Server =>
  createServer(appWith([concurrencyLimit(options), ...behind], handler));

export const apps: Apps = {
  'Express route, callback': (work) => limitedRoute(callback(work)),
  'Express route, async': (work) => limitedRoute(promise(work)),
  'Express route, async, silent': (work) => limitedRoute(silentPromise(work)),
  'Express route, `limit.wrap()`': (work) => {
    const app = express();
    const handler = concurrencyLimit(options).wrap(promise(work));
    for (const path of paths) app.get(path, handler);
    return createServer(app);
  },
  'Express `app.use()`, callback': (work) => limitedApp(callback(work)),
  'Express `app.use()`, callback, logger behind the limit': (work) =>
    limitedApp(callback(work), listenForClose),
  '`limit(expressApp)`, callback': (work) =>
    createServer(limitListener(options)(appWith([], callback(work)))),
  'Express behind the hook, async': behindHook((work) => createServer(appWith([], promise(work)))),
};
