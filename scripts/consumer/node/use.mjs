import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { anthropicError, openaiError } from '@headgate/ai';
import { jsonRpcError, limitTool } from '@headgate/ai/mcp';
import { guard as createGuard, createLimiter } from '@headgate/core';
import * as http from '@headgate/core/http';
import { dashboard } from '@headgate/dashboard/express';
import { dashboard as fastifyDashboard } from '@headgate/dashboard/fastify';
import { dashboard as honoDashboard } from '@headgate/dashboard/hono';
import { dashboard as koaDashboard } from '@headgate/dashboard/koa';
import { dashboard as nodeDashboard } from '@headgate/dashboard/node';
import { concurrencyLimit as express } from '@headgate/express';
import { concurrencyLimit as fastify } from '@headgate/fastify';
import { limitFetch } from '@headgate/fetch';
import { concurrencyLimit as hono } from '@headgate/hono';
import { concurrencyLimit as koa } from '@headgate/koa';
import { concurrencyLimit as node } from '@headgate/node';
import { instrument } from '@headgate/opentelemetry';
import { postgresStore } from '@headgate/postgres';
import { instrument as instrumentPrometheus } from '@headgate/prometheus';
import { redisStore } from '@headgate/redis';
import { createServer } from '@headgate/server';
import { lockClient, serverStore } from '@headgate/server-client';
import { concurrencyLimit as web } from '@headgate/web';
import { Redis } from 'ioredis';
import { Registry } from 'prom-client';

// The pages that warnings and READMEs link to.
assert.ok(existsSync(new URL('../docs/errors.md', import.meta.resolve('@headgate/core'))));

const limiter = createLimiter({ limit: 1 });
assert.equal(await limiter.run(() => limiter.inflight), 1);
assert.equal(limiter.inflight, 0);
assert.ok(Object.keys(http).length > 0);

instrument(limiter);
const register = new Registry();
instrumentPrometheus(limiter, { register });
assert.match(await register.metrics(), /^headgate_limit\{headgate_limit_name="unnamed"\} 1$/m);

const rejection = { reason: 'full', limitName: 'a', queued: 0, waited: 0, retryAfter: 1 };
assert.equal(openaiError(rejection).status, 503);
assert.equal(anthropicError(rejection).status, 529);
assert.equal(JSON.parse(jsonRpcError(rejection).body).error.code, -32005);
const call = { signal: new AbortController().signal };
assert.equal(await limitTool(limiter, ({ signal }) => signal.aborted)(call), false);

const api = limitFetch(async () => new Response('called'), { limit: 2 });
assert.equal(await (await api('http://localhost/')).text(), 'called');
assert.equal(api.stats()[0].name, 'http://localhost');

const guard = createGuard({ name: 'own', delay: () => 0, target: 1 });
assert.equal(guard.admits('normal'), true);

for (const concurrencyLimit of [express, koa, hono, fastify, node, web]) {
  const middleware = concurrencyLimit({ limit: 2, route: 'POST /reports/:id' });
  assert.equal(typeof middleware, 'function');
  assert.equal(middleware.holders, 0);
  assert.equal(concurrencyLimit({ guard }).holders, 0);
}

// Each reads the files of the page.
const mounted = [koaDashboard, nodeDashboard];
for (const create of [dashboard, honoDashboard, fastifyDashboard, ...mounted]) {
  const place = mounted.includes(create) ? { path: '/limits' } : {};
  assert.equal(typeof create({ limits: [limiter], ...place }).close, 'function');
}

const client = new Redis({ lazyConnect: true });
assert.equal(redisStore({ client }).leaseDuration, 10_000);
assert.equal(client.status, 'wait');
assert.equal(postgresStore({ connect: 'postgres://localhost/app' }).leaseDuration, 10_000);

const server = createServer({ semaphores: { A: 3 } });
const { url } = await server.listen({ port: 0 });
assert.equal(await (await fetch(`${url}/remainder?semaphore=A`)).text(), '3');
assert.equal((await fetch(`${url}/ui/page.js`)).status, 200);

const locks = lockClient({ url });
const lock = await locks.lock('A', { count: 2 });
assert.equal(await (await fetch(`${url}/remainder?semaphore=A`)).text(), '1');
await lock.release();
await locks.close();

const store = serverStore({ url });
assert.equal(await createLimiter({ name: 'A', limit: 3, store }).run(() => 'shared'), 'shared');
await store.close();
await server.close();
