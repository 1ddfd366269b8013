import { invalid } from '@headgate/core/options';
import type { LimitHook } from './limit-hook.ts';

/** The hooks of the limits that `concurrencyLimit` has returned. */
const hooks = new WeakMap<object, LimitHook>();

export function registerHook(limit: object, hook: LimitHook): void {
  hooks.set(limit, hook);
}

/**
 * The limit that a route's configuration sets: `false` for none, undefined for the registered one.
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
