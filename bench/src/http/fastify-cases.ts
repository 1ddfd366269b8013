import type { AddressInfo } from 'node:net';
import Fastify, { type FastifyInstance } from 'fastify';
import { answer, type Serve, type Situation } from './situation.ts';

type Register = (app: FastifyInstance, situation: Situation) => unknown;

const serve =
  (register?: Register): Serve =>
  async (situation) => {
    const app = Fastify();
    await register?.(app, situation);
    app.get('*', async () => {
      if (situation.takesATurn) await new Promise(setImmediate);
      return answer;
    });
    await app.listen({ port: 0, host: '127.0.0.1' });
    return (app.server.address() as AddressInfo).port;
  };

const handWritten: Register = (app, { limit, queueLimit }) => {
  const queue: Array<() => void> = [];
  let inflight = 0;
  const done = () => {
    inflight--;
    queue.shift()?.();
  };
  app.addHook('onRequest', (_request, reply, next) => {
    const admit = () => {
      // A response that is already closed emits no further `close`.
      if (reply.raw.destroyed) return queue.shift()?.();
      inflight++;
      reply.raw.on('close', done);
      next();
    };
    if (inflight < limit) return admit();
    if (queue.length < queueLimit) return queue.push(admit);
    reply.code(503).header('Retry-After', '1').send();
  });
};

export const cases: Record<string, Serve> = {
  bare: serve(),
  'hand-written': serve(handWritten),
  headgate: serve(async (app, { limit, queueLimit }) => {
    const { concurrencyLimit } = await import('@headgate/fastify');
    await app.register(concurrencyLimit({ limit, queueLimit }));
  }),
  'under-pressure': serve(async (app) => {
    const { default: underPressure } = await import('@fastify/under-pressure');
    // With this threshold it never rejects: measures its cost without a limit in effect.
    await app.register(underPressure, { maxEventLoopDelay: 10_000 });
  }),
  'rate-limit': serve(async (app) => {
    const { default: rateLimit } = await import('@fastify/rate-limit');
    await app.register(rateLimit, { max: 1e9, timeWindow: 3_600_000 });
  }),
};
