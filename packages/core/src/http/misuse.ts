import { HeadgateError } from '../errors.ts';

/** The properties by which the first argument of a middleware is recognized, in any supported framework. */
interface FirstArgument {
  readonly req?: { readonly raw?: unknown } | undefined;
  readonly app?: unknown;
  readonly url?: unknown;
  readonly headers?: unknown;
  readonly addHook?: unknown;
  readonly raw?: unknown;
}

/** For each framework that does not use `app.use`: how its middleware is used. */
const uses = new Map([
  ['@headgate/node', 'pass it a handler: createServer(limit(handler))'],
  ['@headgate/fastify', 'register it: app.register(limit)'],
  ['@headgate/web', 'call limit(request, next), or limit.wrap(handler)'],
]);

/** The error for a middleware that was called with arguments its framework never passes. */
export function misplaced(adapter: string, first: unknown): HeadgateError {
  const message = `the middleware of ${adapter} was called ${mistakeOf(adapter, adapterOf(first))}`;
  return new HeadgateError('ERR_HEADGATE_MIDDLEWARE', message);
}

/** Describes the mistake, and the correct use. */
function mistakeOf(adapter: string, right: string | undefined): string {
  if (right !== undefined && right !== adapter)
    return `by another framework or server: use ${right}`;
  const use = uses.get(adapter) ?? 'use it in an app of its framework';
  const instead = right === undefined ? ', or limit the work itself with createLimiter()' : '';
  return `with unexpected arguments: ${use}${instead}`;
}

/**
 * @throws HeadgateError if the options are a request or an app: `concurrencyLimit` itself was registered instead of its
 *   result.
 */
export function checkCalled(options: unknown): void {
  const { req, url, headers, addHook } = (options ?? {}) as FirstArgument;
  const isRequest = req !== undefined || (url !== undefined && headers !== undefined);
  if (!isRequest && addHook === undefined) return;
  const call =
    addHook === undefined
      ? 'app.use(concurrencyLimit()), or createServer(concurrencyLimit()(handler)) without a framework'
      : 'app.register(concurrencyLimit())';
  throw new HeadgateError('ERR_HEADGATE_MIDDLEWARE', `concurrencyLimit must be called: ${call}`);
}

function adapterOf(first: unknown): string | undefined {
  // A handler, or an app of Express, which is a function too.
  if (typeof first === 'function') return 'use' in first ? undefined : '@headgate/node';
  const { req, app, url, headers, addHook, raw } = (first ?? {}) as FirstArgument;
  if (req?.raw !== undefined) return '@headgate/hono';
  if (req !== undefined && app !== undefined) return '@headgate/koa';
  if (typeof addHook === 'function' || raw !== undefined) return '@headgate/fastify';
  if (typeof url !== 'string') return undefined;
  if (headers instanceof Headers) return '@headgate/web';
  return typeof app === 'function' ? '@headgate/express' : '@headgate/node';
}
