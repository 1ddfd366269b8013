import type { GateStats, Permit, Rejection } from '@headgate/core';
import { concurrencyLimit } from '@headgate/fastify';
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
// @ts-expect-error: misspelt
concurrencyLimit({ limit: 1, queuLimit: 1 });
// @ts-expect-error: a key is text
concurrencyLimit({ limit: 1, key: () => 5 });
