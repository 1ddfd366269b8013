import { invalid } from '@headgate/core/options';
import type { FastifyRequest } from 'fastify';
import type { LimitHook } from './limit-hook.ts';

/** The hooks of the limits that `concurrencyLimit` has returned. */
const hooks = new WeakMap<object, LimitHook>();

export function registerHook(limit: object, hook: LimitHook): void {
  hooks.set(limit, hook);
}

/**
 * The limit that the configuration of a route sets. `false` means no limit, and undefined means the registered one.
 *
 * @throws HeadgateError for anything else.
 */
export function limitOfRoute(config: unknown): LimitHook | false | undefined {
  const limit = (config as { concurrencyLimit?: object | false } | undefined)?.concurrencyLimit;
  if (limit === undefined || limit === false) return limit;
  const hook = hooks.get(limit);
  if (hook !== undefined) return hook;
  throw invalid('config.concurrencyLimit', 'false or a result of concurrencyLimit()', limit);
}

type Contexts = Readonly<Record<symbol, { readonly config?: unknown } | null | undefined>>;

/**
 * Returns a function that reads the configuration of a request's route. `routeOptions` creates an object at every
 * access, which takes up to a quarter of the time of a whole request. Therefore only the first request reads it, and
 * uses it to find out where Fastify stores the configuration. If that is not found, every request reads `routeOptions`.
 */
export function configReader(): (request: FastifyRequest) => unknown {
  let key: symbol | undefined;
  let hasSearched = false;
  return (request) => {
    const contexts = request as unknown as Contexts;
    if (key !== undefined) return contexts[key]?.config;
    const { config } = request.routeOptions;
    if (!hasSearched && config !== undefined) {
      hasSearched = true;
      const isContext = (symbol: symbol) => contexts[symbol]?.config === config;
      key = Object.getOwnPropertySymbols(request).find(isContext);
    }
    return config;
  };
}
