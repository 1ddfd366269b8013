// Runs each example as its own process and checks what it does: `npm run examples`.
import { readdirSync, rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { map } from '@headgate/core';
import { createServer } from '@headgate/server';
import { startPostgres, startRedis } from '@headgate/test-servers';
import { aiGateway } from './checks/ai-gateway.ts';
import { GatewayScene } from './checks/gateway-scene.ts';
import { Program } from './checks/program.ts';
import { workers } from './checks/workers.ts';

/** The folders whose examples each have a check, in the file with the same name in `checks`. */
const folders = ['core', 'express', 'fastify', 'hono', 'koa', 'nestjs', 'node', 'web'];
const examples = folders.flatMap((folder) =>
  readdirSync(join(import.meta.dirname, folder))
    .filter((file) => file.endsWith('.ts'))
    .map((file) => `${folder}/${file}`),
);

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

/** Runs the check of an example, and reports its result. */
async function report(example: string, check: () => Promise<void>): Promise<void> {
  try {
    await Promise.race([check(), timeout()]);
    console.log(`ok  ${example}`);
  } catch (error) {
    console.error(`FAILED  ${example}`, error);
    process.exitCode = 1;
  }
}

async function timeout(): Promise<never> {
  await pause(60_000, undefined, { ref: false });
  throw new Error('the example did not finish within 60 s');
}

const pathOf = (example: string) => join(import.meta.dirname, example);

await map(
  examples,
  async (example) => {
    const { check } = await import(`./checks/${example}`);
    const program = new Program(pathOf(example), env);
    await report(example, () => check(program));
    await program.stop();
  },
  { limit: 2 },
);

// Each has a provider, and a Redis that the check restarts.
await map(
  ['ai-gateway/express.ts', 'ai-gateway/hono.ts'],
  async (example) => {
    const scene = await GatewayScene.start(pathOf(example));
    await report(example, () => aiGateway(scene));
    await scene.stop();
  },
  { limit: 2 },
);

// Not a program of Node.
await report('workers/app.ts', () => workers(new URL('./workers/app.ts', import.meta.url)));

await Promise.all([redis.stop(), postgres.stop()]);
await service.close();
