// Runs each example as its own process and checks what it does: `npm run examples`.
import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { map } from '@headgate/core';
import { createServer } from '@headgate/server';
import { startPostgres, startRedis } from '@headgate/test-servers';
import { aiGateway } from './checks/ai-gateway.ts';
import { cluster } from './checks/cluster.ts';
import { dashboard } from './checks/dashboard.ts';
import { defaultLimit } from './checks/default.ts';
import { degraded } from './checks/degraded.ts';
import { distributed } from './checks/distributed.ts';
import { drain } from './checks/drain.ts';
import { GatewayScene } from './checks/gateway-scene.ts';
import { hono } from './checks/hono.ts';
import { http2 } from './checks/http2.ts';
import { koa } from './checks/koa.ts';
import { nightly } from './checks/nightly.ts';
import { ownLimits } from './checks/own-limits.ts';
import { perKey } from './checks/per-key.ts';
import { perRoute } from './checks/per-route.ts';
import { Program } from './checks/program.ts';
import { server } from './checks/server.ts';
import { shutdown } from './checks/shutdown.ts';
import { tenants } from './checks/tenants.ts';
import { tokens } from './checks/tokens.ts';
import { web } from './checks/web.ts';
import { workerPool } from './checks/worker-pool.ts';
import { workers } from './checks/workers.ts';

const checks = {
  [import.meta.resolve('./core/worker-pool.ts')]: workerPool,
  [import.meta.resolve('./express/default.ts')]: defaultLimit,
  [import.meta.resolve('./express/per-route.ts')]: perRoute,
  [import.meta.resolve('./express/per-key.ts')]: perKey,
  [import.meta.resolve('./express/tenants.ts')]: tenants,
  [import.meta.resolve('./express/tokens.ts')]: tokens,
  [import.meta.resolve('./express/degraded.ts')]: degraded,
  [import.meta.resolve('./express/dashboard.ts')]: dashboard,
  [import.meta.resolve('./express/shutdown.ts')]: shutdown,
  [import.meta.resolve('./express/drain.ts')]: drain,
  [import.meta.resolve('./express/distributed.ts')]: distributed,
  [import.meta.resolve('./express/distributed-postgres.ts')]: distributed,
  // Behaves the same, whichever store counts.
  [import.meta.resolve('./express/service.ts')]: distributed,
  [import.meta.resolve('./node/cluster.ts')]: cluster,
  [import.meta.resolve('./node/http2.ts')]: http2,
  [import.meta.resolve('./node/nightly.ts')]: nightly,
  [import.meta.resolve('./node/server.ts')]: server,
  [import.meta.resolve('./fastify/app.ts')]: ownLimits(200),
  // Nest responds to a POST with 201.
  [import.meta.resolve('./nestjs/app.ts')]: ownLimits(201),
  [import.meta.resolve('./koa/app.ts')]: koa,
  [import.meta.resolve('./hono/app.ts')]: hono,
  [import.meta.resolve('./web/handler.ts')]: web,
};

const [redis, postgres] = await Promise.all([startRedis(), startPostgres()]);
const folder = await mkdtemp(join(tmpdir(), 'headgate-examples-'));
process.once('exit', () => rmSync(folder, { recursive: true }));
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
const service = createServer({ semaphores: { reports: 2 } });
const { url: socket } = await service.listen({ socket: join(folder, 'service.sock') });
const env = {
  REDIS_URL: redis.url,
  DATABASE_URL: postgres.url,
  HEADGATE_SERVER_URL: `unix:${socket}`,
  REMOVAL: '1500',
  DASHBOARD_PASSWORD: 'secret',
};

/** Runs one check, and reports its result. */
async function report(url: string, check: () => Promise<void>): Promise<void> {
  const name = relative(process.cwd(), fileURLToPath(url));
  try {
    await Promise.race([check(), timeout()]);
    console.log(`ok  ${name}`);
  } catch (error) {
    console.error(`FAILED  ${name}`, error);
    process.exitCode = 1;
  }
}

await map(
  Object.entries(checks),
  async ([url, check]) => {
    const program = new Program(fileURLToPath(url), env);
    await report(url, () => check(program));
    await program.stop();
  },
  { limit: 2 },
);

// Each has a provider, and a Redis that the check restarts.
const gateways = [
  import.meta.resolve('./ai-gateway/express.ts'),
  import.meta.resolve('./ai-gateway/hono.ts'),
];
await map(
  gateways,
  async (url) => {
    const scene = await GatewayScene.start(fileURLToPath(url));
    await report(url, () => aiGateway(scene));
    await scene.stop();
  },
  { limit: 2 },
);

// Not a program of Node.
const worker = import.meta.resolve('./workers/app.ts');
await report(worker, () => workers(new URL(worker)));

await Promise.all([redis.stop(), postgres.stop()]);
await service.close();

async function timeout(): Promise<never> {
  await pause(20_000, undefined, { ref: false });
  throw new Error('the example did not finish within 20 s');
}
