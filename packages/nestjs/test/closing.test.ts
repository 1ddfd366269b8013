import { createLimiter } from '@headgate/core';
import type { HttpHandle } from '@headgate/core/http';
import { CONCURRENCY_LIMIT, ConcurrencyLimitModule } from '@headgate/nestjs';
import { counts } from '@headgate/test-suite';
import { describe, expect, it } from 'vitest';
import { App } from './app.ts';
import { limitedApp } from './paused.ts';

describe.each(['Express', 'Fastify'] as const)('an application on %s that closes', (platform) => {
  it('rejects queued requests at once, and lets running ones finish', async () => {
    const options = { limit: 1, queueTimeout: Infinity };
    const { app, limit, latch } = await limitedApp(platform, options, false);
    const running = app.call('/work').answer();
    await counts(limit, 1);
    const queued = app.call('/work').answer();
    await counts(limit, 1, 1);
    const closed = app.nest.close();
    expect(await queued).toMatchObject({ status: 503 });
    latch.open();
    expect(await running).toMatchObject({ status: 200, body: 'done' });
    await closed;
    expect([limit.closed, limit.holders, limit.queued]).toEqual([true, 0, 0]);
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
