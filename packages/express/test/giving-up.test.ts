import { createReadStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { concurrencyLimit } from '@headgate/express';
import { lcg } from '@headgate/test-kit/lcg';
import { counts, until, worldOfEachTest } from '@headgate/test-suite';
import express, { type Express, type RequestHandler, type Response } from 'express';
import express4 from 'express4';
import { describe, expect, it } from 'vitest';
import { expressFramework } from './framework.ts';

/** More than the buffers of a connection hold, so that clients also leave within the body. */
const FILE_BYTES = 8 * 1024 * 1024;

type Handlers = Record<string, (file: string) => RequestHandler>;

/** Handlers that do not touch the response of a client that has left. */
const handlers: Handlers = {
  'express.static': (file) => express.static(dirname(file)),
  'res.sendFile': (file) => (_req, res) => res.sendFile(file, () => {}),
  'createReadStream().pipe(res)': (file) => (_req, res) => void createReadStream(file).pipe(res),
  'pipeline(stream, res, callback)': (file) => (_req, res) =>
    void pipeline(createReadStream(file), res, () => {}),
  'if (req.destroyed) return': () => (req, res) => {
    setTimeout(() => req.destroyed || res.send('ok'), 20);
  },
  'async steps before the route': () => async (_req, res, next) => {
    await delay(10);
    if (!res.destroyed) next();
  },
};

describe.each([
  ['Express 5', express],
  ['Express 4', express4 as unknown as typeof express],
])('clients that give up in %s', (name, version) => {
  const world = worldOfEachTest(expressFramework(name, version));

  async function serve(build: (app: Express, file: string) => void) {
    const folder = await mkdtemp(join(tmpdir(), 'headgate-'));
    world.later(() => rm(folder, { recursive: true }));
    const file = join(folder, 'file');
    await writeFile(file, Buffer.alloc(FILE_BYTES));
    const app = version();
    app.set('env', 'test');
    build(app, file);
    return world.serveThrough(() => app);
  }

  it.each(Object.entries(handlers))('leave no permit held: %s', async (_, handler) => {
    const limit = world.watch(concurrencyLimit({ limit: 10, queueLimit: 20, queueTimeout: 500 }));
    const running = await serve((app, file) => {
      app.use(limit);
      app.get('/other', (_req, res) => void setTimeout(() => res.send('ok'), 10));
      app.use(handler(file));
      app.get('/file', (_req, res) => void res.send('ok'));
    });
    const begunAt = performance.now();
    expect(await running.call('/file').answer()).toMatchObject({ status: 200 });
    // Sending four requests in the time of one uses four of the ten permits, however busy the machine is.
    const usual = Math.max(10, performance.now() - begunAt);
    const random = lcg(1);
    const answers: Promise<{ status: number }>[] = [];
    for (let index = 0; index < 60; index++) {
      const call = running.call('/file');
      setTimeout(() => call.abort(), usual * random());
      if (index % 3 > 0) continue;
      answers.push(running.call('/other').answer());
      await delay(usual);
    }
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    expect(statuses.filter((status) => status !== 200)).toEqual([]);
    await counts(limit, 0, 0);
  });

  it.each([
    ['discards its body', 1],
    ['discards a body that never arrives completely', 2],
  ])('start no handler beyond the limit that %s', async (_, length) => {
    const limit = world.watch(concurrencyLimit({ limit: 2, queueLimit: 0 }));
    const works: Response[] = [];
    const running = await serve((app) => {
      app.use(limit, (req, res) => {
        req.resume().once('data', () => works.push(res));
      });
    });
    for (let index = 0; index < 6; index++) {
      const raw = running.raw();
      raw.request('POST /', `Content-Length: ${length}`);
      raw.socket.write('x');
      if (index < 2) await until(() => works.length > index);
      else await raw.receives(/503/);
      await raw.destroy();
    }
    await until(() => works.every(({ req }) => req.socket.readyState === 'closed'));
    expect([works.length, limit.holders]).toEqual([2, 2]);
    for (const res of works) res.end();
    await counts(limit, 0);
  });
});
