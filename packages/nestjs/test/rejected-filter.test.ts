import { createLimiter, RejectedFilter } from '@headgate/nestjs';
import { Controller, Get, Logger } from '@nestjs/common';
import { expect, it, onTestFinished, vi } from 'vitest';
import { App, platforms } from './app.ts';

it.each(Object.keys(platforms) as (keyof typeof platforms)[])(
  'RejectedFilter answers a rejection within a handler as the limit does, and prints nothing: %s',
  async (platform) => {
    const limiter = createLimiter({ name: 'renders', limit: 1, queueLimit: 0 });
    limiter.tryAcquire();
    class Renders {
      render() {
        return limiter.run(() => 'page');
      }
    }
    const { prototype } = Renders;
    Get()(prototype, 'render', Object.getOwnPropertyDescriptor(prototype, 'render') as never);
    Controller('/')(Renders);
    const printed = vi.spyOn(Logger.prototype, 'error').mockReturnValue(undefined);
    onTestFinished(() => void printed.mockRestore());
    const app = await App.start(platform, { controllers: [Renders] }, (nest) =>
      nest.useGlobalFilters(new RejectedFilter(nest.getHttpAdapter())),
    );
    const { status, headers, body } = await app.call().answer();
    expect([status, headers['cache-control']]).toEqual([503, 'no-store']);
    expect(headers['retry-after']).toMatch(/^[1-9]\d*$/);
    expect(JSON.parse(body)).toMatchObject({ statusCode: 503, reason: 'full' });
    expect(printed).not.toHaveBeenCalled();
  },
);
