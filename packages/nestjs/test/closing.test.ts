import { createLimiter } from '@headgate/core';
import type { HttpHandle } from '@headgate/core/http';
import { CONCURRENCY_LIMIT, ConcurrencyLimitModule } from '@headgate/nestjs';
import { counts, Latch } from '@headgate/test-suite';
import { describe, expect, it } from 'vitest';
import { App } from './app.ts';
import { limitedApp, pausedController } from './paused.ts';

describe.each(['Express', 'Fastify'] as const)('an application on %s that closes', (platform) => {
  it('serves queued and running requests, and then closes the limit', async () => {
    const { app, limit, latch } = await limitedApp(platform, { limit: 1 }, false);
    const running = app.call('/work').answer();
    await counts(limit, 1);
    const queued = app.call('/work').answer();
    await counts(limit, 1, 1);
    const closed = app.nest.close();
    latch.open();
    expect(await running).toMatchObject({ status: 200, body: 'done' });
    expect(await queued).toMatchObject({ status: 200, body: 'done' });
    await closed;
    expect([limit.closed, limit.holders, limit.queued]).toEqual([true, 0, 0]);
  });

  it('serves requests that arrive while the application waits for its load balancer', async () => {
    const [waiting, noticed] = [new Latch(), new Latch()];
    class LoadBalancerWait {
      async beforeApplicationShutdown() {
        waiting.open();
        await noticed.opened;
      }
    }
    const { controller, latch } = pausedController();
    latch.open();
    const app = await App.start(platform, {
      imports: [ConcurrencyLimitModule.forRoot({ limit: 1 })],
      controllers: [controller],
      providers: [LoadBalancerWait],
    });
    const closed = app.nest.close();
    await waiting.opened;
    expect(await app.call('/work').answer()).toMatchObject({ status: 200, body: 'done' });
    noticed.open();
    await closed;
    expect(app.nest.get<HttpHandle>(CONCURRENCY_LIMIT).closed).toBe(true);
  });

  it('closes only its own limit if several applications import the same module', async () => {
    const imports = [ConcurrencyLimitModule.forRoot({ limit: 1 })];
    const handleOf = ({ nest }: App) => nest.get<HttpHandle>(CONCURRENCY_LIMIT);
    const [first, second] = [
      await App.start(platform, { imports }),
      await App.start(platform, { imports }),
    ];
    expect(handleOf(first)).not.toBe(handleOf(second));
    await first.nest.close();
    expect([handleOf(first).closed, handleOf(second).closed]).toEqual([true, false]);
    const third = await App.start(platform, { imports });
    expect(handleOf(third).closed).toBe(false);
  });

  it('leaves a reused limiter open', async () => {
    const limiter = createLimiter({ limit: 1 });
    const app = await App.start(platform, {
      imports: [ConcurrencyLimitModule.forRoot({ limiter })],
    });
    await app.nest.close();
    expect(limiter.closed).toBe(false);
  });
});
