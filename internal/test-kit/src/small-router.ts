import { decodedPath } from '@headgate/core/http';
import type { Step, SuiteContext } from '@headgate/test-suite';
import type { SuiteLimit } from '@headgate/test-suite/kit';
import { pathToRegexp } from 'path-to-regexp';

/** How functions that handle requests are made, in an environment without a router. */
export interface SmallRouter<Limit, Handler> {
  /** Puts a limit around a handler. */
  around(limit: Limit, next: Handler): Handler;
  /** A route's handler. It names the kind of work, if there is one, as a router does for adaptive limits. */
  handler(handle: (context: SuiteContext) => unknown, kind?: string): Handler;
  /** The first handler for the requests that match, and the other one for all others. */
  either(
    matches: (method: string, path: string) => boolean,
    inside: Handler,
    outside: Handler,
  ): Handler;
}

/** Builds the suite's app as a chain of functions. */
export function chain<Limit extends SuiteLimit, Handler>(
  router: SmallRouter<Limit, Handler>,
  steps: readonly Step<Limit>[],
  last: Handler,
  prefix = '',
): Handler {
  return steps.reduceRight((next, step) => stepOf(router, step, next, prefix), last);
}

function stepOf<Limit extends SuiteLimit, Handler>(
  router: SmallRouter<Limit, Handler>,
  step: Step<Limit>,
  next: Handler,
  prefix: string,
): Handler {
  if ('use' in step) return router.around(step.use, next);
  if ('mount' in step) {
    const inner = chain(router, step.steps, next, prefix + step.mount);
    return router.either(matching(`${prefix}${step.mount}/*rest`), inner, next);
  }
  const { path, method = 'GET', handle } = step;
  if (path === undefined) return router.handler(handle);
  const routed = router.handler(handle, `${method} ${path}`);
  return router.either(matching(prefix + path, method), routed, next);
}

/** Tests the method, if there is one, and the decoded path. */
function matching(pattern: string, method?: string): (method: string, path: string) => boolean {
  const { regexp } = pathToRegexp(pattern);
  return (actual, path) =>
    (method === undefined || actual === method || (actual === 'HEAD' && method === 'GET')) &&
    regexp.test(decodedPath(path));
}
