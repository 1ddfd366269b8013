import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { concurrencyLimit } from '@headgate/express';
import { concurrencyLimit as nodeLimit } from '@headgate/node';
import { lcg } from '@headgate/test-kit/lcg';
import { counts, until, worldOfEachTest } from '@headgate/test-suite';
import type { Running } from '@headgate/test-suite/kit';
import express from 'express';
import { expect, it } from 'vitest';
import { expressFramework } from './framework.ts';

/** Milliseconds that a handler takes. */
const WORK_MS = 20;
/** Milliseconds within which clients of a file leave. */
const FILE_MS = 3;
/** Requests at a time: two fifths of the default limit's initial value. */
const USE = 0.4 * 8;
const REQUESTS = 100;

/** A handler that stops when its client leaves, without touching the response; counts those that run. */
class StoppingHandler {
  running = 0;
  maxRunning = 0;

  readonly listener: RequestListener = (_req, res) => {
    if (res.destroyed) return;
    this.maxRunning = Math.max(this.maxRunning, ++this.running);
    const timer = setTimeout(() => res.end('ok'), WORK_MS);
    res.on('close', () => {
      this.running--;
      clearTimeout(timer);
    });
  };
}

interface Server {
  readonly limit: ReturnType<typeof concurrencyLimit>;
  readonly work: StoppingHandler;
  readonly running: Running;
  readonly paths: readonly string[];
}

/** Sends the request with this number, to the paths in turn. Resolves to whether its response was complete. */
async function visit({ running, paths }: Server, index: number, leavesAfter?: number) {
  const path = paths[index % paths.length] as string;
  const call = running.call(path);
  const within = path === '/file' ? FILE_MS : 1.5 * WORK_MS;
  if (leavesAfter !== undefined) setTimeout(() => call.abort(), within * leavesAfter);
  const answer = await call.answer().catch(() => undefined);
  return answer?.status === 200;
}

const currentLimit = ({ limit }: Server) => limit.stats().limits[0]?.limit ?? 0;

/** Lets this share of the clients give up, and measures how the default limit behaves meanwhile. */
async function measure(server: Server, percentage: number) {
  const { limit, work, paths } = server;
  const random = lcg(percentage);
  const initial = currentLimit(server);
  for (const index of paths.keys()) await visit(server, index);
  const others: Promise<boolean>[] = [];
  let sum = 0;
  let max = 0;
  let usual = WORK_MS;
  const timed = async (index: number) => {
    const began = performance.now();
    const isAnswered = await visit(server, index);
    usual += (Math.max(WORK_MS, performance.now() - began) - usual) / 4;
    return isAnswered;
  };
  for (let index = 0; index < REQUESTS; index++) {
    if (100 * random() < percentage) void visit(server, index, random());
    else others.push(timed(index));
    // A busy machine takes longer for each request, and so gets fewer.
    await delay(usual / USE);
    sum += limit.holders;
    max = Math.max(max, currentLimit(server));
  }
  const answered = (await Promise.all(others)).filter(Boolean).length;
  await until(() => work.running === 0);
  const stopped = performance.now();
  await counts(limit, 0);
  return {
    server,
    initial,
    answered: answered / others.length,
    inflight: sum / REQUESTS,
    max,
    heldAfter: performance.now() - stopped,
  };
}

const world = worldOfEachTest(expressFramework('Express 5', express));

async function expressServer(): Promise<Server> {
  const folder = await mkdtemp(join(tmpdir(), 'headgate-'));
  world.later(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'file'), Buffer.alloc(64 * 1024));
  const limit = world.watch(concurrencyLimit());
  const work = new StoppingHandler();
  const app = express().use(limit).use(express.static(folder)).get('/stops', work.listener);
  const running = await world.serveThrough(() => app);
  return { limit, work, running, paths: ['/stops', '/file', '/stops'] };
}

async function nodeServer(): Promise<Server> {
  const limit = world.watch(nodeLimit());
  const work = new StoppingHandler();
  const running = await world.serveThrough(() => limit(work.listener));
  return { limit: limit as never, work, running, paths: ['/stops'] };
}

it.each([10, 50, 90])(
  'the default limit does not grow because clients disconnect, and the other clients get answers: %i %',
  async (percentage) => {
    const servers = await Promise.all([expressServer(), nodeServer()]);
    const measured = servers.map((server) => measure(server, percentage));
    for (const { server, ...found } of await Promise.all(measured)) {
      expect(found.answered).toBeGreaterThanOrEqual(0.98);
      // If the machine pauses, handlers pile up, and the limit grows rightly.
      const { maxRunning } = server.work;
      expect(found.inflight).toBeLessThan(Math.max(0.6 * found.initial, maxRunning));
      expect(found.max).toBeLessThan(Math.max(1.5 * found.initial, 2 * maxRunning));
      expect(found.heldAfter).toBeLessThan(500);
    }
  },
);
