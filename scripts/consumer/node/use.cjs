const assert = require('node:assert/strict');
const { createLimiter } = require('@headgate/core');
const http = require('@headgate/core/http');

const limiter = createLimiter({ limit: 1 });
const permit = limiter.tryAcquire();
assert.equal(limiter.inflight, 1);
assert.equal(limiter.tryAcquire(), undefined);
permit.release();
assert.equal(limiter.inflight, 0);
assert.ok(Object.keys(http).length > 0);

for (const name of ['express', 'koa', 'hono', 'fastify', 'node', 'web']) {
  const { concurrencyLimit } = require(`@headgate/${name}`);
  assert.equal(concurrencyLimit({ limit: 2, route: 'POST /reports/:id' }).holders, 0);
}

const { instrument } = require('@headgate/opentelemetry');
instrument(limiter);

const { Registry } = require('prom-client');
const { instrument: instrumentPrometheus } = require('@headgate/prometheus');
const register = new Registry();
instrumentPrometheus(limiter, { register });
assert.equal(register.getMetricsAsArray().length > 0, true);

const { openaiError } = require('@headgate/ai');
const { limitTool } = require('@headgate/ai/mcp');
const rejection = { reason: 'full', limitName: 'a', queued: 0, waited: 0, retryAfter: 1 };
assert.equal(openaiError(rejection).status, 503);
assert.equal(typeof limitTool(limiter, () => undefined), 'function');

const { limitFetch } = require('@headgate/fetch');
assert.equal(typeof limitFetch(fetch, { limit: 2 }).stats, 'function');

for (const name of ['express', 'koa', 'hono', 'fastify', 'node']) {
  const { dashboard } = require(`@headgate/dashboard/${name}`);
  const place = ['koa', 'node'].includes(name) ? { path: '/limits' } : {};
  assert.equal(typeof dashboard({ limits: [], ...place }).close, 'function');
}

const { redisStore } = require('@headgate/redis');
const { createClient } = require('redis');
assert.equal(redisStore({ client: createClient() }).leaseDuration, 10_000);

const { serverStore } = require('@headgate/server-client');
assert.equal(serverStore({ url: 'http://localhost:8000' }).leaseDuration, 10_000);

const { durableObjectStore } = require('@headgate/durable-object');
const namespace = { idFromName: String, get: () => ({ fetch }) };
assert.equal(durableObjectStore({ namespace }).leaseDuration, 10_000);

const { createServer } = require('@headgate/server');
assert.equal(typeof createServer({ semaphores: { A: 3 } }).close, 'function');
