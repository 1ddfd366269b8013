import {
  CONCURRENCY_LIMIT,
  ConcurrencyLimitModule,
  type ConcurrencyLimitOptions,
  type HttpHandle,
} from '@headgate/nestjs';
import { counts, Latch } from '@headgate/test-suite';
import { Controller, Get } from '@nestjs/common';
import { onTestFinished } from 'vitest';
import { App, type platforms } from './app.ts';

/** A controller whose requests wait until the test lets them finish. */
export function pausedController() {
  const latch = new Latch();
  const seen = { begun: 0 };

  @Controller()
  class PausedController {
    @Get('work')
    async work() {
      seen.begun++;
      await latch.opened;
      return 'done';
    }

    @Get('broken')
    broken() {
      throw new Error('broken');
    }

    @Get('quick')
    quick() {
      return 'quick';
    }
  }
  return { latch, seen, controller: PausedController };
}

/** An application with such a controller and the limit of the module. */
export async function limitedApp(
  platform: keyof typeof platforms,
  options: ConcurrencyLimitOptions,
  forceCloseConnections?: boolean,
) {
  const { controller, ...paused } = pausedController();
  const metadata = {
    imports: [ConcurrencyLimitModule.forRoot(options)],
    controllers: [controller],
  };
  const app = await App.start(platform, metadata, undefined, forceCloseConnections);
  const limit = app.nest.get<HttpHandle>(CONCURRENCY_LIMIT);
  onTestFinished(() => counts(limit, 0, 0));
  return { app, limit, ...paused };
}
