import { once } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
import { type Admission, ConcurrencyLimit, type ConcurrencyLimitOptions } from '@headgate/nestjs';
import { expectHeldAfterTimeout } from '@headgate/test-kit/held-after-timeout';
import { counts, Latch, until } from '@headgate/test-suite';
import { aRound } from '@headgate/test-suite/kit';
import {
  Controller,
  Get,
  type NestInterceptor,
  Req,
  RequestTimeoutException,
  Sse,
} from '@nestjs/common';
import { catchError, NEVER, retry, Subject, throwError, timeout } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { App } from './app.ts';
import { limitedApp } from './paused.ts';

describe.each(['Express', 'Fastify'] as const)('a handler on %s', (platform) => {
  it('queues a request, and rejects the next one with an exception of Nest', async () => {
    const { app, limit, latch } = await limitedApp(platform, { limit: 1, queueLimit: 1 });
    const holder = app.call('/work').answer();
    await counts(limit, 1);
    const waiter = app.call('/work').answer();
    await counts(limit, 1, 1);
    const { status, headers, body } = await app.call('/quick').answer();
    expect(status).toBe(503);
    expect(headers['retry-after']).toMatch(/^[1-9]\d*$/);
    expect(headers['cache-control']).toBe('no-store');
    expect(JSON.parse(body)).toEqual({
      statusCode: 503,
      message: expect.stringContaining('Try again in'),
      error: 'Service Unavailable',
      reason: 'full',
    });
    latch.open();
    expect(await holder).toMatchObject({ status: 200, body: 'done' });
    expect(await waiter).toMatchObject({ status: 200, body: 'done' });
  });

  it('releases the permit when a handler throws', async () => {
    const { app, limit } = await limitedApp(platform, { limit: 1 });
    for (const _ of [1, 2]) {
      expect(await app.call('/broken').answer()).toMatchObject({ status: 500 });
      await counts(limit, 0);
    }
    expect(limit.stats().admitted).toBe(2);
  });

  it("holds a disconnected client's permit until its handler has settled", async () => {
    const { app, limit, latch, seen } = await limitedApp(platform, { limit: 1 });
    await disconnect(app, '/work', () => seen.begun === 1);
    expect(limit.holders).toBe(1);
    latch.open();
    await counts(limit, 0);
  });

  it('holds the permit of a disconnected client while an interceptor repeats the handler', async () => {
    const latch = new Latch();
    const limit = ConcurrencyLimit({ limit: 1 });
    let begun = 0;
    @Controller()
    class Repeated {
      @Get()
      @limit
      async work() {
        if (++begun === 1) throw new Error('the first attempt');
        await latch.opened;
      }
    }
    const app = await App.start(platform, { controllers: [Repeated] }, (nest) =>
      nest.useGlobalInterceptors({ intercept: (_, next) => next.handle().pipe(retry(1)) }),
    );
    await disconnect(app, '/', () => begun === 2);
    expect(limit.holders).toBe(1);
    latch.open();
    await counts(limit, 0);
  });

  it('never runs the handler of a client that disconnects in the queue', async () => {
    const { app, limit, latch, seen } = await limitedApp(platform, { limit: 1, queueLimit: 1 });
    const holder = app.call('/work').answer();
    await counts(limit, 1);
    const abortedCall = app.call('/work');
    await counts(limit, 1, 1);
    abortedCall.abort();
    await counts(limit, 1, 0);
    latch.open();
    await holder;
    expect([seen.begun, limit.stats().withdrawn]).toEqual([1, 1]);
  });

  it('holds the permit of server-sent events until the client disconnects', async () => {
    const events = new Subject<{ data: string }>();
    const limit = ConcurrencyLimit({ limit: 1 });
    @Controller()
    class Events {
      @Sse('events')
      @limit
      stream() {
        return events;
      }
    }
    const app = await App.start(platform, { controllers: [Events] });
    const call = app.call('/events');
    await until(() => events.observed);
    events.next({ data: 'one' });
    await call.response;
    await aRound();
    expect(limit.holders).toBe(1);
    call.abort();
    await counts(limit, 0);
    expect(events.observed).toBe(false);
  });

  it.each<[string, ConcurrencyLimitOptions['onReject'], string]>([
    ['a value', (rejection) => ({ cached: rejection.reason }), '{"cached":"full"}'],
    ['the result of the handler', (_, __, next) => next.handle(), 'quick'],
    ['its own response if it is false', async () => false, 'Service Unavailable'],
  ])('sends what onReject returns: %s', async (_, onReject, expected) => {
    const { app, limit, latch } = await limitedApp(platform, { limit: 1, queueLimit: 0, onReject });
    const holder = app.call('/work').answer();
    await counts(limit, 1);
    expect((await app.call('/quick').answer()).body).toContain(expected);
    latch.open();
    await holder;
  });

  it('releases the permit when an outer interceptor stops waiting for the handler', async () => {
    const limit = ConcurrencyLimit({ limit: 1 });
    @Controller()
    class Endless {
      @Get()
      @limit
      work() {
        return NEVER;
      }
    }
    const app = await App.start(platform, { controllers: [Endless] }, (nest) =>
      nest.useGlobalInterceptors({ intercept: (_, next) => next.handle().pipe(timeout(1)) }),
    );
    expect(await app.call('/').answer()).toMatchObject({ status: 500 });
    await counts(limit, 0);
    expect(limit.stats().admitted).toBe(1);
  });

  it('waitUntil() holds the permit of a promise that an RxJS timeout no longer waits for', async () => {
    const limit = ConcurrencyLimit({ limit: 1 });
    await expectHeldAfterTimeout(limit, async (work) => {
      @Controller()
      class Slow {
        @Get()
        @limit
        async slow({ admission }: { admission: Admission }) {
          const working = work();
          admission.permit?.waitUntil(working);
          await working;
        }
      }
      Req()(Slow.prototype, 'slow', 0);
      const timesOut: NestInterceptor = {
        intercept: (_, next) =>
          next.handle().pipe(
            timeout(10),
            catchError(() => throwError(() => new RequestTimeoutException())),
          ),
      };
      const app = await App.start(platform, { controllers: [Slow] }, (nest) =>
        nest.useGlobalInterceptors(timesOut),
      );
      return () => app.call('/').answer();
    });
  });
});

/** Sends a request, disconnects once its handler has begun, and waits until the server has noticed. */
async function disconnect(app: App, path: string, hasBegun: () => boolean): Promise<void> {
  const received = once(app.nest.getHttpServer() as Server, 'request');
  const call = app.call(path);
  await until(hasBegun);
  const [, response] = await received;
  const closed = once(response as ServerResponse, 'close');
  call.abort();
  await closed;
  await aRound();
}
