import { HeadgateError } from '@headgate/core';
import { type HttpHandle, withHandle } from '@headgate/core/http';
import {
  type DynamicModule,
  type FactoryProvider,
  Inject,
  type ModuleMetadata,
  Optional,
} from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { type ConcurrencyLimitOptions, LimitInterceptor } from './limit-interceptor.ts';

/** Injects the handle on the limits of the module: `@Inject(CONCURRENCY_LIMIT) limit: HttpHandle`. */
export const CONCURRENCY_LIMIT = Symbol.for('headgate.nestjs.handle');

export interface ConcurrencyLimitAsyncOptions {
  /** Modules that export the providers in `inject`. */
  imports?: ModuleMetadata['imports'];
  /** Arguments of `useFactory`. */
  inject?: FactoryProvider['inject'];
  // biome-ignore lint/suspicious/noExplicitAny: what `inject` names
  useFactory: (...args: any[]) => ConcurrencyLimitOptions | Promise<ConcurrencyLimitOptions>;
}

/** Limits how many requests the controllers of the application handle at once. */
export class ConcurrencyLimitModule {
  /** @throws HeadgateError for an unknown or invalid option. */
  static forRoot(options: ConcurrencyLimitOptions = {}): DynamicModule {
    // Created now, so that an invalid option throws now. If several applications import the module, each gets its own
    // limit.
    let first: LimitInterceptor | undefined = new LimitInterceptor(options);
    const create = () => {
      const interceptor = first ?? new LimitInterceptor(options);
      first = undefined;
      return interceptor;
    };
    return moduleWith({ provide: LimitInterceptor, useFactory: create }, []);
  }

  /**
   * Like `forRoot`, but other providers determine the options.
   *
   * @throws HeadgateError when the application starts, for an unknown or invalid option.
   */
  static forRootAsync(options: ConcurrencyLimitAsyncOptions): DynamicModule {
    const { imports = [], inject = [], useFactory } = options;
    const create = async (...args: unknown[]) => new LimitInterceptor(await useFactory(...args));
    return moduleWith({ provide: LimitInterceptor, useFactory: create, inject }, imports);
  }

  /**
   * Called by Nest.
   *
   * @throws HeadgateError if `imports` contains the class itself and no module of the application has options: nothing
   * would be limited.
   */
  constructor(private readonly handle?: HttpHandle) {
    if (handle !== undefined) return;
    const message =
      'ConcurrencyLimitModule has no options: import ConcurrencyLimitModule.forRoot()';
    throw new HeadgateError('ERR_HEADGATE_MIDDLEWARE', message);
  }

  /**
   * Called by Nest when its server has closed. Earlier, the limit would reject requests that the server still accepts
   * while an application waits in `beforeApplicationShutdown` for its load balancer, and those in the queue.
   */
  onApplicationShutdown(): void {
    void this.handle?.close();
  }
}

// Injects the handle of any configured module, since these are global.
Inject(CONCURRENCY_LIMIT)(ConcurrencyLimitModule, undefined, 0);
Optional()(ConcurrencyLimitModule, undefined, 0);

function moduleWith(
  interceptor: FactoryProvider<LimitInterceptor>,
  imports: NonNullable<ModuleMetadata['imports']>,
): DynamicModule {
  const handle: FactoryProvider<HttpHandle> = {
    provide: CONCURRENCY_LIMIT,
    useFactory: ({ http }: LimitInterceptor) => withHandle<HttpHandle>(() => undefined, http),
    inject: [LimitInterceptor],
  };
  return {
    module: ConcurrencyLimitModule,
    global: true,
    imports,
    providers: [interceptor, { provide: APP_INTERCEPTOR, useExisting: LimitInterceptor }, handle],
    exports: [CONCURRENCY_LIMIT],
  };
}
