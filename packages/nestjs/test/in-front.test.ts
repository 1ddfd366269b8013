import { createServer, type RequestListener } from 'node:http';
import { createLimiter } from '@headgate/core';
import { ConcurrencyLimitModule } from '@headgate/nestjs';
import { type ConcurrencyLimit, concurrencyLimit } from '@headgate/node';
import { counts, Latch, until } from '@headgate/test-suite';
import { recordingLimit } from '@headgate/test-suite/kit';
import { Controller, Get } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { describe, expect, it } from 'vitest';
import { App } from './app.ts';

/** The adapters of both platforms, as the documentation describes them. */
const adapters = {
  Express: (limit: ConcurrencyLimit) => {
    class LimitedAdapter extends ExpressAdapter {
      override initHttpServer(): void {
        this.httpServer = createServer(limit(this.getInstance()));
      }
    }
    return new LimitedAdapter();
  },
  Fastify: (limit: ConcurrencyLimit) =>
    new FastifyAdapter({
      serverFactory: (handler: RequestListener) => createServer(limit(handler)),
    }),
};

function controllerOf(handle: () => Promise<string>) {
  @Controller()
  class Reports {
    @Get('a/:id')
    a() {
      return handle();
    }

    @Get('b/:id')
    b() {
      return handle();
    }
  }
  return Reports;
}

describe.each(['Express', 'Fastify'] as const)('a limit in front of Nest on %s', (platform) => {
  it('rejects requests before any middleware runs', async () => {
    const limit = concurrencyLimit({ limit: 1, queueLimit: 0 });
    const latch = new Latch();
    const seen: string[] = [];
    const handle = async () => {
      await latch.opened;
      return 'done';
    };
    const app = await App.start(
      adapters[platform](limit),
      { controllers: [controllerOf(handle)] },
      (nest) =>
        nest.use((req: { originalUrl: string }, _res: unknown, next: () => void) => {
          seen.push(req.originalUrl);
          next();
        }),
    );
    const holder = app.call('/a/holder');
    await until(() => seen.length === 1);
    expect(await app.call('/a/1').answer()).toMatchObject({ status: 503 });
    latch.open();
    expect(await holder.answer()).toMatchObject({ status: 200, body: 'done' });
    expect(seen).toEqual(['/a/holder']);
    await counts(limit, 0);
  });

  it('counts a request once with the limit of the module, which has the same limiter', async () => {
    const limiter = createLimiter({ limit: 1, queueLimit: 0 });
    const imports = [ConcurrencyLimitModule.forRoot({ limiter })];
    const controllers = [controllerOf(async () => `${limiter.inflight}`)];
    const adapter = adapters[platform](concurrencyLimit({ limiter }));
    const app = await App.start(adapter, { imports, controllers });
    expect(await app.call('/a/1').answer()).toMatchObject({ status: 200, body: '1' });
    await counts(limiter, 0);
    expect(limiter.stats()).toMatchObject({ admitted: 1 });
  });

  it('has a latency baseline for each route, with a limit of the module', async () => {
    const { samples, limit: factory } = recordingLimit();
    const limit = concurrencyLimit({ limit: factory });
    const imports = [ConcurrencyLimitModule.forRoot({ limit: 100 })];
    const controllers = [controllerOf(async () => 'done')];
    const app = await App.start(adapters[platform](limit), { imports, controllers });
    for (const path of ['/a/1', '/b/1', '/a/2', '/b/2']) {
      await app.call(path).answer();
      await counts(limit, 0);
    }
    const [a1, b1, a2, b2] = samples.map(({ kind }) => kind);
    expect([a1, b1]).toEqual([expect.stringContaining('a/:id'), expect.stringContaining('b/:id')]);
    expect([a2, b2]).toEqual([a1, b1]);
  });
});
