import { createServer } from 'node:http';
import express, { type Request, type RequestHandler } from 'express';
import { asItIs, type Host, holdPath, portOf } from './host.ts';

export const host: Host<RequestHandler, Request> = {
  listen({ handle, middleware, inFront = asItIs }) {
    const app = express();
    if (middleware) app.use(middleware);
    app.get(holdPath, () => {});
    app.get('/', (_req, res, next) => {
      const body = handle();
      if (body instanceof Promise) body.then((value) => res.json(value), next);
      else res.json(body);
    });
    return portOf(createServer(inFront(app)));
  },

  async limit(options) {
    const { concurrencyLimit } = await import('@headgate/express');
    const limit = concurrencyLimit(options);
    return { middleware: limit, handle: limit };
  },

  header: ({ headers }, name) => headers[name] as string | undefined,
  refuse: (_req, res) => void res.writeHead(503, { 'Retry-After': '1' }).end(),
};
