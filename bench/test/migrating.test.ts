/// <reference path="../src/http/untyped.d.ts" />
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { setImmediate as iteration } from 'node:timers/promises';
import underPressure from '@fastify/under-pressure';
import { byPriority, createLimiter, lifo } from '@headgate/core';
import { concurrencyLimit } from '@headgate/express';
import { concurrencyLimit as fastifyLimit } from '@headgate/fastify';
import { Sema } from 'async-sema';
import Bottleneck from 'bottleneck';
import express, { type Express } from 'express';
import expressQueue from 'express-queue';
import fastify from 'fastify';
import protect from 'overload-protection';
import PQueue from 'p-queue';
import toobusy from 'toobusy-js';
import { describe, expect, it, onTestFinished, vi } from 'vitest';

const page = readFileSync(resolve(import.meta.dirname, '../../docs/migrating.md'), 'utf8');

/** The programs of the page by what they call: a block of code has one before and one after the migration. */
function pairOf(call: string): [before: string, after: string] {
  const blocks = [...page.matchAll(/^```js\n\/\/ before\n(.*?)^\/\/ after\n(.*?)^```/gms)];
  const [, before = '', after = ''] = blocks.find(([, before]) => before?.includes(call)) ?? [];
  if (!before) throw new Error(`docs/migrating.md has no program that calls ${call}`);
  return [before, after];
}

/** Runs code of the page, which uses these names. */
function run(code: string, names: Record<string, unknown>, result = ''): unknown {
  return new Function(...Object.keys(names), `${code}\n${result}`)(...Object.values(names));
}

/** Also on a busy machine. */
const until = (condition: () => boolean) =>
  vi.waitUntil(condition, { interval: 1, timeout: 25_000 });

describe('limits of functions', () => {
  type Limited = (work: () => Promise<unknown>, urgent?: boolean) => Promise<unknown>;

  const limitedBy = (code: string) =>
    run(
      code,
      { Bottleneck, byPriority, createLimiter, PQueue, Sema },
      'return limited;',
    ) as Limited;

  /**
   * Makes six calls, the last one urgent. Once two have begun, and this many are rejected, ends them one by one. Returns
   * what happened, in order.
   */
  async function traceOf(limited: Limited, rejections: number): Promise<string[]> {
    const trace: string[] = [];
    const ends: Array<() => void> = [];
    const settled = new Set<string>();
    const calls = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => {
      const work = async () => {
        trace.push(`${name} begins`);
        await new Promise<void>((end) => ends.push(end));
      };
      const reject = () => trace.push(`${name} rejected`);
      return limited(work, name === 'f')
        .catch(reject)
        .finally(() => settled.add(name));
    });
    await until(() => settled.size === rejections && ends.length === 2);
    while (settled.size < calls.length) {
      const left = calls.length - settled.size;
      await until(() => ends.length === Math.min(2, left));
      ends.shift()?.();
      await until(() => settled.size > calls.length - left);
    }
    return trace;
  }

  it.each([
    ['new PQueue', 0],
    ['new Sema', 0],
    ['new Bottleneck', 1],
  ])(
    'the program with %s and its translation begin and reject the same calls in the same order',
    async (call, rejections) => {
      const [before, after] = pairOf(call);
      const trace = await traceOf(limitedBy(before), rejections);
      expect(await traceOf(limitedBy(after), rejections)).toEqual(trace);
    },
  );

  it('LEAK of bottleneck serves the oldest waiter first, lifo() the newest; both displace the oldest', async () => {
    const bottleneck = new Bottleneck({
      ...{ maxConcurrent: 2, highWater: 2 },
      strategy: Bottleneck.strategy.LEAK,
    });
    const limits = { limit: 2, queueLimit: 2, queueTimeout: Infinity };
    const limiter = createLimiter({ ...limits, order: lifo() });
    const leak = await traceOf((work) => bottleneck.schedule(work), 2);
    const newest = await traceOf((work) => limiter.run(work), 2);
    const begun = (trace: string[]) => trace.filter((line) => line.endsWith('begins'));
    expect(begun(leak)).toEqual(['a begins', 'b begins', 'e begins', 'f begins']);
    expect(begun(newest)).toEqual(['a begins', 'b begins', 'f begins', 'e begins']);
  });
});

/** The address of a server of this app, which listens until the test has ended. */
async function addressOf(app: Express): Promise<string> {
  const server = app.listen(0);
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  await once(server, 'listening');
  return `http://localhost:${(server.address() as AddressInfo).port}/`;
}

/** The statuses of the answers to many requests at once, which are sent again, a few times, until there are two. */
async function overload(address: string): Promise<Set<number>> {
  const seen = new Set<number>();
  for (let round = 0; round < 20 && seen.size < 2; round++) {
    const answers = await Promise.all(Array.from({ length: 40 }, () => fetch(address)));
    for (const { status } of answers) seen.add(status);
  }
  return seen;
}

/** Computes for 60 ms: longer than each of the delays that the programs allow. */
function compute(): string {
  const start = performance.now();
  while (performance.now() < start + 60);
  return 'done';
}

it("express-queue's program and its translation begin, queue and reject the same requests", async () => {
  for (const code of pairOf('queue(')) {
    const app = express();
    let arrived = () => {};
    app.use((_req, _res, next) => {
      arrived();
      next();
    });
    run(code, { app, queue: expressQueue, concurrencyLimit });
    const begun: string[] = [];
    const ends: Array<() => void> = [];
    app.get('/:name', (req, res) => {
      begun.push(req.params.name);
      ends.push(() => res.send('done'));
    });
    const address = await addressOf(app);
    const requests: Array<Promise<Response>> = [];
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) {
      const arrival = new Promise<void>((resolve) => {
        arrived = resolve;
      });
      requests.push(fetch(address + name));
      await arrival;
    }
    expect((await requests[5])?.status).toBe(503);
    expect(begun).toEqual(['a', 'b']);
    while (begun.length < 5 || ends.length > 0) {
      ends.shift()?.();
      await iteration();
    }
    const answers = await Promise.all(requests);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 503]);
    expect(begun).toEqual(['a', 'b', 'c', 'd', 'e']);
  }
});

it.each(['protect(', 'toobusy('])(
  'the program with %s and its translation serve and reject requests of an overload',
  async (call) => {
    // Otherwise it would measure a lag only if several requests are handled in one iteration.
    toobusy.interval(16);
    toobusy.maxLag(10);
    onTestFinished(() => toobusy.shutdown());
    for (const code of pairOf(call)) {
      const app = express();
      run(code, { app, protect, toobusy, concurrencyLimit });
      app.get('/', (_req, res) => void res.send(compute()));
      expect([...(await overload(await addressOf(app)))].sort()).toEqual([200, 503]);
    }
  },
);

it("the route of @fastify/under-pressure answers in both programs, also while the translation's limit is full", async () => {
  for (const code of pairOf('underPressure')) {
    const app = fastify();
    onTestFinished(() => app.close());
    const concurrencyLimit = () => fastifyLimit({ limit: 1, queueLimit: 0 });
    await run(`return (async () => {${code}})();`, { app, underPressure, concurrencyLimit });
    let end = () => {};
    const begun = new Promise<void>((begin) => {
      app.get('/', () => {
        begin();
        return new Promise((resolve) => {
          end = () => resolve('done');
        });
      });
    });
    const address = await app.listen();
    const first = fetch(address);
    await begun;
    expect((await fetch(`${address}/status`)).status).toBe(200);
    if (code.includes('concurrencyLimit')) expect((await fetch(address)).status).toBe(503);
    end();
    expect((await first).status).toBe(200);
  }
});
