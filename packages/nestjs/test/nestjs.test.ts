import { once } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
import { createLimiter } from '@headgate/core';
import { concurrencyLimit } from '@headgate/express';
import {
  CONCURRENCY_LIMIT,
  ConcurrencyLimit,
  ConcurrencyLimitModule,
  type ConcurrencyLimitOptions,
  type Handle,
  RejectionException,
} from '@headgate/nestjs';
import { aRound, counts, Latch, until } from '@headgate/test-suite';
import { Catch, Controller, type ExecutionContext, Get, HttpException, Sse } from '@nestjs/common';
import { BaseExceptionFilter, HttpAdapterHost } from '@nestjs/core';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import { lastValueFrom, NEVER, of, Subject, tap, timeout } from 'rxjs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { LimitInterceptor } from '../src/limit-interceptor.ts';
import { App } from './app.ts';

/** A controller whose requests wait until the test lets them finish. */
function pausedController() {
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

describe.each(['Express', 'Fastify'] as const)('on %s', (platform) => {
  /** An application with a paused controller and the limit of the module. */
  async function limited(options: ConcurrencyLimitOptions) {
    const { controller, ...paused } = pausedController();
    const imports = [ConcurrencyLimitModule.forRoot(options)];
    const app = await App.start(platform, { imports, controllers: [controller] });
    const limit = app.nest.get<Handle>(CONCURRENCY_LIMIT);
    onTestFinished(() => counts(limit, 0, 0));
    return { app, limit, ...paused };
  }

  it('queues a request, and rejects the next one with an exception of Nest', async () => {
    const { app, limit, latch } = await limited({ limit: 1, queueLimit: 1 });
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

  it('passes a rejection to exception filters', async () => {
    const caught: unknown[] = [];
    @Catch(HttpException)
    class Filter extends BaseExceptionFilter {
      override catch(exception: HttpException, host: never) {
        caught.push(exception);
        super.catch(exception, host);
      }
    }
    const { controller, latch } = pausedController();
    const limitModule = ConcurrencyLimitModule.forRoot({ limit: 1, statusCode: 429 });
    const app = await App.start(
      platform,
      { imports: [limitModule], controllers: [controller] },
      (nest) => nest.useGlobalFilters(new Filter(nest.get(HttpAdapterHost).httpAdapter)),
    );
    const limit = app.nest.get<Handle>(CONCURRENCY_LIMIT);
    const holder = app.call('/work').answer();
    await counts(limit, 1);
    expect(await app.call('/quick').answer()).toMatchObject({ status: 429 });
    expect(caught).toEqual([expect.any(RejectionException)]);
    expect(caught).toMatchObject([{ rejection: { reason: 'full', limitName: 'default' } }]);
    latch.open();
    await holder;
    await counts(limit, 0);
  });

  it('releases the permit when a handler throws', async () => {
    const { app, limit } = await limited({ limit: 1 });
    for (const _ of [1, 2]) {
      expect(await app.call('/broken').answer()).toMatchObject({ status: 500 });
      await counts(limit, 0);
    }
    expect(limit.stats().admitted).toBe(2);
  });

  it("holds a disconnected client's permit until its handler has settled", async () => {
    const { app, limit, latch, seen } = await limited({ limit: 1 });
    const closed = responseClosed(app);
    const abortedCall = app.call('/work');
    await until(() => seen.begun === 1);
    abortedCall.abort();
    await closed;
    await aRound();
    expect(limit.inflight).toBe(1);
    latch.open();
    await counts(limit, 0);
  });

  it('never runs the handler of a client that disconnects in the queue', async () => {
    const { app, limit, latch, seen } = await limited({ limit: 1, queueLimit: 1 });
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

  it('applies the decorator of a handler or controller instead of the limit of the module', async () => {
    const latch = new Latch();
    const [onClass, onMethod] = [ConcurrencyLimit({ limit: 1 }), ConcurrencyLimit({ limit: 1 })];
    @Controller('decorated')
    @onClass
    class Decorated {
      @Get()
      work() {
        return latch.opened;
      }

      @Get('method')
      @onMethod
      method() {
        return latch.opened;
      }

      @Get('none')
      @ConcurrencyLimit(false)
      none() {
        return latch.opened;
      }
    }
    const imports = [ConcurrencyLimitModule.forRoot({ limit: 1 })];
    const { controller } = pausedController();
    const app = await App.start(platform, { imports, controllers: [Decorated, controller] });
    const limit = app.nest.get<Handle>(CONCURRENCY_LIMIT);
    const paths = ['/decorated', '/decorated/method', '/decorated/none', '/decorated/none'];
    const calls = paths.map((path) => app.call(path).answer());
    await counts(onClass, 1);
    await counts(onMethod, 1);
    for (const path of ['/decorated', '/decorated/method']) {
      expect(await app.call(path).answer()).toMatchObject({ status: 503 });
    }
    expect(await app.call('/quick').answer()).toMatchObject({ status: 200 });
    latch.open();
    for (const call of calls) expect(await call).toMatchObject({ status: 200 });
    expect(limit.stats().admitted).toBe(1);
    for (const each of [onClass, onMethod]) await counts(each, 0);
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
    expect(limit.inflight).toBe(1);
    call.abort();
    await counts(limit, 0);
    expect(events.observed).toBe(false);
  });

  it('runs after guards, so a key may depend on the user', async () => {
    const latch = new Latch();
    const limit = ConcurrencyLimit({
      limit: 1,
      key: (context: ExecutionContext) => context.switchToHttp().getRequest().user,
    });
    @Controller()
    class Users {
      @Get()
      @limit
      work() {
        return latch.opened;
      }
    }
    const guard = {
      canActivate(context: ExecutionContext) {
        const request = context.switchToHttp().getRequest();
        request.user = request.headers['x-user'];
        return request.user !== undefined;
      },
    };
    const app = await App.start(platform, { controllers: [Users] }, (nest) =>
      nest.useGlobalGuards(guard),
    );
    const as = (user: string) => app.call('/', { headers: { 'X-User': user } }).answer();
    const holders = [as('a')];
    await counts(limit, 1);
    expect(await as('a')).toMatchObject({ status: 503 });
    holders.push(as('b'));
    await counts(limit, 2);
    expect(await app.call('/').answer()).toMatchObject({ status: 403 });
    latch.open();
    for (const holder of holders) expect(await holder).toMatchObject({ status: 200 });
    await counts(limit, 0);
  });

  it.each<[string, ConcurrencyLimitOptions['onReject'], string]>([
    ['a value', (rejection) => ({ cached: rejection.reason }), '{"cached":"full"}'],
    ['the result of the handler', (_, __, next) => next.handle(), 'quick'],
    ['its own response if it is false', async () => false, 'Service Unavailable'],
  ])('sends what onReject returns: %s', async (_, onReject, expected) => {
    const { app, limit, latch } = await limited({ limit: 1, onReject });
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

  it('takes its options from other providers with forRootAsync', async () => {
    const { controller, latch } = pausedController();
    const providers = [{ provide: 'settings', useValue: { name: 'configured', limit: 1 } }];
    const settings = { module: class {}, providers, exports: ['settings'] };
    const imports = [
      ConcurrencyLimitModule.forRootAsync({
        imports: [settings],
        inject: ['settings'],
        useFactory: async (given: ConcurrencyLimitOptions) => given,
      }),
    ];
    const app = await App.start(platform, { imports, controllers: [controller] });
    const limit = app.nest.get<Handle>(CONCURRENCY_LIMIT);
    expect(Object.keys(limit.limiters)).toEqual(['configured']);
    const holder = app.call('/work').answer();
    await counts(limit, 1);
    expect(await app.call('/quick').answer()).toMatchObject({ status: 503 });
    latch.open();
    await holder;
  });

  it('matches a route with the prefix of the application', async () => {
    const { controller } = pausedController();
    const imports = [
      ConcurrencyLimitModule.forRoot({
        limits: [{ name: 'quick', limit: 1, route: 'GET /api/quick' }],
      }),
    ];
    const app = await App.start(platform, { imports, controllers: [controller] }, (nest) =>
      nest.setGlobalPrefix('api'),
    );
    expect(await app.call('/api/quick').answer()).toMatchObject({ status: 200 });
    expect(await app.call('/api/broken').answer()).toMatchObject({ status: 500 });
    const limit = app.nest.get<Handle>(CONCURRENCY_LIMIT);
    await counts(limit, 0);
    expect(limit.stats().limits[0]).toMatchObject({ admitted: 1 });
  });

  it('adds header fields, and passes the admission in the request', async () => {
    const limit = ConcurrencyLimit({ name: 'app', limit: 3, headers: true });
    const admissions: unknown[] = [];
    @Controller()
    class Fields {
      @Get()
      @limit
      work() {
        return 'ok';
      }
    }
    const app = await App.start(platform, { controllers: [Fields] }, (nest) =>
      nest.useGlobalInterceptors({
        intercept(context, next) {
          const request = context.switchToHttp().getRequest();
          return next.handle().pipe(tap(() => admissions.push(request.admission.permit.weight)));
        },
      }),
    );
    const { headers } = await app.call('/').answer();
    expect(headers['ratelimit-policy']).toBe('"app";q=3;qu="concurrent-requests"');
    expect(admissions).toEqual([1]);
    await counts(limit, 0);
  });
});

it('acquires one permit of a limiter that middleware of the platform also uses', async () => {
  const limiter = createLimiter({ limit: 1 });
  const limit = ConcurrencyLimit({ limiter });
  @Controller()
  class Twice {
    @Get()
    @limit
    work() {
      return 'ok';
    }
  }
  const app = await App.start('Express', { controllers: [Twice] }, (nest) =>
    nest.use(concurrencyLimit({ limiter })),
  );
  expect(await app.call('/').answer()).toMatchObject({ status: 200 });
  expect(limit.stats().reentered).toBe(1);
  await counts(limiter, 0);
});

it('reports invalid options when the decorator is applied, and when the application starts', async () => {
  const error = { code: 'ERR_HEADGATE_OPTION', option: 'limit' };
  expect(() => ConcurrencyLimit({ limit: 0 })).toThrow(expect.objectContaining(error));
  expect(() => ConcurrencyLimitModule.forRoot({ limit: 0 })).toThrow(
    expect.objectContaining(error),
  );
  const imports = [ConcurrencyLimitModule.forRootAsync({ useFactory: () => ({ limit: 0 }) })];
  await expect(App.start('Express', { imports })).rejects.toMatchObject(error);
});

it('passes on what does not come by HTTP', async () => {
  const interceptor = new LimitInterceptor({ limit: 1 });
  const context = new ExecutionContextHost([{}], class {}, () => {});
  context.setType('rpc');
  const result = await interceptor.intercept(context, { handle: () => of('ok') });
  expect(await lastValueFrom(result)).toBe('ok');
  expect(interceptor.http.stats()).toMatchObject({ admitted: 0, skipped: 0 });
});

/** Resolves once the response to the next request has been closed. */
async function responseClosed(app: App): Promise<void> {
  const [, response] = await once(app.nest.getHttpServer() as Server, 'request');
  await once(response as ServerResponse, 'close');
}
