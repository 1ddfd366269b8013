import { createServer, type IncomingMessage } from 'node:http';
import { asItIs, type Host, holdPath, type InFront, portOf } from './host.ts';

/** A server without a framework: a middleware is a function around the listener, as is what is in front of an app. */
export const host: Host<InFront, IncomingMessage> = {
  listen({ handle, middleware = asItIs, inFront = asItIs }) {
    const app = middleware(async (req, res) => {
      if (req.url === holdPath) return;
      const body = await handle();
      res.setHeader('Content-Type', 'application/json');
      res.end(JSON.stringify(body));
    });
    return portOf(createServer(inFront(app)));
  },

  async limit(options) {
    const { concurrencyLimit } = await import('@headgate/node');
    const limit = concurrencyLimit(options);
    return { middleware: limit, handle: limit };
  },

  header: ({ headers }, name) => headers[name] as string | undefined,
  refuse: () => (_req, res) => void res.writeHead(503, { 'Retry-After': '1' }).end(),
};
