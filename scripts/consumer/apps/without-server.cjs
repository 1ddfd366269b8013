// The packages that are no adapter of a framework.
const assert = require('node:assert/strict');

exports.withoutServer = async (load) => {
  const { createLimiter } = await load('@headgate/core');
  const limiter = createLimiter({ name: 'renders', limit: 1 });
  assert.equal(await limiter.run(() => limiter.inflight), 1);

  const { openaiError } = await load('@headgate/ai');
  const rejection = { reason: 'full', limitName: 'a', queued: 0, waited: 0, retryAfter: 1 };
  assert.equal(openaiError(rejection).status, 503);

  const { limitFetch } = await load('@headgate/fetch');
  const api = limitFetch(async () => new Response('called'), { limit: 1 });
  assert.equal(await (await api('http://localhost/')).text(), 'called');

  await exporters(load, limiter);
  await stores(load);
  await service(load, createLimiter);
};

async function exporters(load, limiter) {
  const { Registry } = await load('prom-client');
  const register = new Registry();
  (await load('@headgate/prometheus')).instrument(limiter, { register });
  assert.match(await register.metrics(), /renders/);
  (await load('@headgate/opentelemetry')).instrument(limiter);
  const { dashboard } = await load('@headgate/dashboard/node');
  assert.equal(typeof dashboard({ limits: [limiter], path: '/limits' }).close, 'function');
}

async function stores(load) {
  const { Redis } = await load('ioredis');
  const { redisStore } = await load('@headgate/redis');
  const { postgresStore } = await load('@headgate/postgres');
  const { durableObjectStore } = await load('@headgate/durable-object');
  const namespace = { idFromName: String, get: () => ({ fetch }) };
  for (const store of [
    redisStore({ client: new Redis({ lazyConnect: true }) }),
    postgresStore({ connect: 'postgres://localhost/app' }),
    durableObjectStore({ namespace }),
  ])
    assert.equal(store.leaseDuration, 10_000);
}

/** The service, and a limit that is counted there. */
async function service(load, createLimiter) {
  const { createServer } = await load('@headgate/server');
  const { serverStore } = await load('@headgate/server-client');
  const server = createServer({ semaphores: {} });
  const { url } = await server.listen({ port: 0 });
  const store = serverStore({ url });
  const reports = createLimiter({ name: 'reports', limit: 1, queueLimit: 0, store });
  const permit = await reports.acquire();
  await assert.rejects(reports.acquire(), { code: 'ERR_HEADGATE_REJECTED' });
  permit.release();
  await reports.close();
  await store.close();
  await server.close();
}
