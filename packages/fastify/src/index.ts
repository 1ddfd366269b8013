import { type Admission, type HttpHandle, withHandle } from '@headgate/core/http';
import type { FastifyPluginCallback } from 'fastify';
import { type ConcurrencyLimitOptions, LimitHook } from './limit-hook.ts';
import { pluginOf } from './plugin.ts';

export * from '@headgate/core/app';
export type { ConcurrencyLimitOptions } from './limit-hook.ts';

/** A plugin that limits the routes of the instance where it is registered, and of the plugins within it. */
export type ConcurrencyLimit = FastifyPluginCallback & HttpHandle;

declare module 'fastify' {
  interface FastifyRequest {
    /** The result of the limit. Undefined before the request has reached it. */
    admission: Admission;
  }

  interface FastifyContextConfig {
    /** The limit of this route instead of the registered one; `false`: none. */
    concurrencyLimit?: ConcurrencyLimit | false | undefined;
  }
}

/**
 * Limits how many requests are handled at once. Requests beyond the limit wait in a short queue or are rejected with
 * 503 and `Retry-After`. Without options, the limit adapts to the server; `limit` sets a fixed one.
 *
 * @throws HeadgateError for an unknown or invalid option.
 */
export function concurrencyLimit(options: ConcurrencyLimitOptions = {}): ConcurrencyLimit {
  const hook = new LimitHook(options);
  return withHandle(pluginOf(hook), hook.http);
}
