import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import { type Host, holdPath } from './host.ts';

/** Registers a plugin or adds a hook. */
export type Register = (app: FastifyInstance) => unknown;

export const host: Host<Register, FastifyRequest> = {
  async listen({ handle, middleware, inFront }) {
    const app = inFront
      ? Fastify({ serverFactory: (handler) => createServer(inFront(handler)) })
      : Fastify();
    await middleware?.(app);
    app.get(holdPath, () => new Promise(() => {}));
    app.get('*', async () => handle());
    await app.listen({ port: 0, host: '127.0.0.1' });
    return (app.server.address() as AddressInfo).port;
  },

  async limit(options) {
    const { concurrencyLimit } = await import('@headgate/fastify');
    const limit = concurrencyLimit(options);
    return { middleware: (app) => app.register(limit), handle: limit };
  },

  header: ({ headers }, name) => headers[name] as string | undefined,
  refuse: (app) =>
    app.addHook('onRequest', (_request, reply) => {
      reply.code(503).header('Retry-After', '1').send();
    }),
};
