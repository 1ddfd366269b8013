import { createLimiter } from '@headgate/core';
import { concurrencyLimit } from '@headgate/express';
import {
  CONCURRENCY_LIMIT,
  ConcurrencyLimit,
  ConcurrencyLimitModule,
  type ConcurrencyLimitOptions,
  type HttpHandle,
  RejectionException,
} from '@headgate/nestjs';
import { counts, Latch } from '@headgate/test-suite';
import {
  Catch,
  Controller,
  type ExecutionContext,
  Get,
  HttpException,
  Module,
} from '@nestjs/common';
import { BaseExceptionFilter, HttpAdapterHost } from '@nestjs/core';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import { lastValueFrom, of, tap } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { LimitInterceptor } from '../src/limit-interceptor.ts';
import { App } from './app.ts';
import { pausedController } from './paused.ts';

describe.each(['Express', 'Fastify'] as const)('limits on %s', (platform) => {
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
    const limitModule = ConcurrencyLimitModule.forRoot({
      limit: 1,
      queueLimit: 0,
      statusCode: 429,
    });
    const app = await App.start(
      platform,
      { imports: [limitModule], controllers: [controller] },
      (nest) => nest.useGlobalFilters(new Filter(nest.get(HttpAdapterHost).httpAdapter)),
    );
    const limit = app.nest.get<HttpHandle>(CONCURRENCY_LIMIT);
    const holder = app.call('/work').answer();
    await counts(limit, 1);
    expect(await app.call('/quick').answer()).toMatchObject({ status: 429 });
    expect(caught).toEqual([expect.any(RejectionException)]);
    expect(caught).toMatchObject([{ rejection: { reason: 'full', limitName: 'unnamed' } }]);
    latch.open();
    await holder;
    await counts(limit, 0);
  });

  it("applies the decorator of a handler or controller instead of the module's limit", async () => {
    const latch = new Latch();
    const [onClass, onMethod] = [
      ConcurrencyLimit({ limit: 1, queueLimit: 0 }),
      ConcurrencyLimit({ limit: 1, queueLimit: 0 }),
    ];
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
    const imports = [ConcurrencyLimitModule.forRoot({ limit: 1, queueLimit: 0 })];
    const { controller } = pausedController();
    const app = await App.start(platform, { imports, controllers: [Decorated, controller] });
    const limit = app.nest.get<HttpHandle>(CONCURRENCY_LIMIT);
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

  it('runs after guards, so that a key may depend on the user', async () => {
    const latch = new Latch();
    const limit = ConcurrencyLimit({
      limit: 1,
      queueLimit: 0,
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

  it('takes its options from other providers with forRootAsync', async () => {
    const { controller, latch } = pausedController();
    const providers = [
      { provide: 'settings', useValue: { name: 'configured', limit: 1, queueLimit: 0 } },
    ];
    const settings = { module: class {}, providers, exports: ['settings'] };
    const imports = [
      ConcurrencyLimitModule.forRootAsync({
        imports: [settings],
        inject: ['settings'],
        useFactory: async (given: ConcurrencyLimitOptions) => given,
      }),
    ];
    const app = await App.start(platform, { imports, controllers: [controller] });
    const limit = app.nest.get<HttpHandle>(CONCURRENCY_LIMIT);
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
    const limit = app.nest.get<HttpHandle>(CONCURRENCY_LIMIT);
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

  it('passes an admission without a permit to a handler that a decorator exempts', async () => {
    const admissions: unknown[] = [];
    @Controller()
    class Exempt {
      @Get()
      @ConcurrencyLimit(false)
      work() {
        return 'ok';
      }
    }
    const imports = [ConcurrencyLimitModule.forRoot({ limit: 1 })];
    const app = await App.start(platform, { imports, controllers: [Exempt] }, (nest) =>
      nest.useGlobalInterceptors({
        intercept(context, next) {
          const request = context.switchToHttp().getRequest();
          return next.handle().pipe(tap(() => admissions.push(request.admission)));
        },
      }),
    );
    expect(await app.call('/').answer()).toMatchObject({ status: 200 });
    expect(admissions).toEqual([{ permit: undefined, waited: 0, rejection: undefined }]);
  });
});

it("the module acquires one permit of a limiter that the platform's own middleware also uses", async () => {
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

it.each([
  [{ limit: 0 }, 'limit'],
  [[] as never, 'concurrencyLimit'],
])(
  'reports the invalid options %j when the decorator is applied, and when the application starts',
  async (options, option) => {
    const error = { code: 'ERR_HEADGATE_OPTION', option };
    expect(() => ConcurrencyLimit(options)).toThrow(expect.objectContaining(error));
    expect(() => ConcurrencyLimitModule.forRoot(options)).toThrow(expect.objectContaining(error));
    const imports = [ConcurrencyLimitModule.forRootAsync({ useFactory: () => options })];
    await expect(App.start('Express', { imports })).rejects.toMatchObject(error);
  },
);

it('the module rejects an application that imports the module without options, and so without a limit', async () => {
  const imports = [ConcurrencyLimitModule];
  await expect(App.start('Express', { imports })).rejects.toMatchObject({
    code: 'ERR_HEADGATE_MIDDLEWARE',
    message: expect.stringContaining('ConcurrencyLimitModule.forRoot()'),
  });
});

it('the module allows a feature module to import the module that the application has configured', async () => {
  class Feature {}
  Module({ imports: [ConcurrencyLimitModule] })(Feature);
  const imports = [Feature, ConcurrencyLimitModule.forRoot({ limit: 1 })];
  const app = await App.start('Express', { imports });
  expect(app.nest.get<HttpHandle>(CONCURRENCY_LIMIT).holders).toBe(0);
});

it('the module passes on anything that does not arrive by HTTP', async () => {
  const interceptor = new LimitInterceptor({ limit: 1 });
  const context = new ExecutionContextHost([{}], class {}, () => {});
  context.setType('rpc');
  const result = await interceptor.intercept(context, { handle: () => of('ok') });
  expect(await lastValueFrom(result)).toBe('ok');
  expect(interceptor.http.stats()).toMatchObject({ admitted: 0, skipped: 0 });
});
