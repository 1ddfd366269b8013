import type { GateStats, Permit, Rejection } from '@headgate/core';
import { concurrencyLimit, timeLeft } from '@headgate/fastify';
import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
import { expectTypeOf } from 'vitest';

const limit = concurrencyLimit({
  limit: 1,
  key: (request) => {
    expectTypeOf(request).toEqualTypeOf<FastifyRequest>();
    return request.ip;
  },
  skip: (request) => request.url === '/health',
  onReject: (rejection, request, reply, next) => {
    expectTypeOf(rejection).toEqualTypeOf<Rejection>();
    expectTypeOf(request).toEqualTypeOf<FastifyRequest>();
    expectTypeOf(reply).toEqualTypeOf<FastifyReply>();
    next();
  },
});

expectTypeOf(limit.stats()).toExtend<GateStats>();

const app = Fastify();
app.register(limit);
app.register(limit, { prefix: '/api' });
Fastify({ http2: true }).register(limit);
Fastify({ https: { key: '', cert: '' } }).register(limit);
Fastify({ logger: true }).register(limit);

app.get('/', { config: { concurrencyLimit: false } }, async (request) => {
  expectTypeOf(request.admission.permit).toEqualTypeOf<Permit | undefined>();
  expectTypeOf(request.admission.waited).toEqualTypeOf<number>();
});
app.get('/reports', { config: { concurrencyLimit: limit } }, async () => 'ok');

// @ts-expect-error: options are not a limit
app.get('/', { config: { concurrencyLimit: { limit: 1 } } }, async () => 'ok');
concurrencyLimit({
  limit: 1,
  queueTimeout: (request) => {
    expectTypeOf(request).toEqualTypeOf<FastifyRequest>();
    return request.url === '/export' ? 30_000 : undefined;
  },
});
concurrencyLimit({ queueTimeout: timeLeft({ max: 10_000 }) });

// @ts-expect-error: misspelt
concurrencyLimit({ limit: 1, queuLimit: 1 });
// @ts-expect-error: a key is text or a number
concurrencyLimit({ limit: 1, key: () => true });
concurrencyLimit({ limit: 1, key: () => 5 });

// The app's own types.
interface Report {
  Params: { id: string };
  Querystring: { pages: number };
}
type AuthRequest = FastifyRequest & { user: { id: number; isPaid: boolean } };
concurrencyLimit({
  limit: (request: AuthRequest) => (request.user.isPaid ? 10 : 2),
  key: (request: FastifyRequest<{ Params: { id: string } }>) => request.params.id,
  weight: (request: FastifyRequest<Report>) => request.query.pages,
  skip: (request: AuthRequest) => request.user.isPaid,
  queueTimeout: (request: AuthRequest) => (request.user.isPaid ? 5000 : undefined),
  priority: (request: AuthRequest) => (request.user.isPaid ? 'high' : 'normal'),
  fairBy: (request: AuthRequest) => request.user.id,
  onReject: ({ reason }, request: FastifyRequest<Report>, reply: FastifyReply) =>
    reply.send({ reason, id: request.params.id }),
});
// @ts-expect-error: a request is no string
concurrencyLimit({ limit: 1, key: (request: string) => request });
// @ts-expect-error: nothing awaits a promise
concurrencyLimit({ limit: 1, key: async (request: AuthRequest) => request.user.id });
