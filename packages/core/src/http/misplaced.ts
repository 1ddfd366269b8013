import { HeadgateError } from '../errors.ts';

/** What the first argument of a middleware may be, in any framework. */
interface First {
  readonly req?: { readonly raw?: unknown } | undefined;
  readonly app?: unknown;
  readonly url?: unknown;
  readonly headers?: unknown;
}

/** The error of a middleware that was called with what its framework never passes. */
export function misplaced(adapter: string, first: unknown): HeadgateError {
  const right = adapterOf(first);
  const remedy =
    right === undefined
      ? 'put it into an app of its framework, or limit the work of a bare server by createLimiter()'
      : `use ${right}`;
  return new HeadgateError(
    'ERR_HEADGATE_MIDDLEWARE',
    `the middleware of ${adapter} was called by another framework or server: ${remedy}`,
  );
}

/** @throws HeadgateError for a request: a framework calls `concurrencyLimit` itself in place of what it returns. */
export function checkCalled(options: unknown): void {
  const { req, url, headers } = (options ?? {}) as First;
  if (req === undefined && (url === undefined || headers === undefined)) return;
  throw new HeadgateError(
    'ERR_HEADGATE_MIDDLEWARE',
    'concurrencyLimit must be called: app.use(concurrencyLimit({ limit: 100 }))',
  );
}

function adapterOf(first: unknown): string | undefined {
  const { req, app, url } = (first ?? {}) as First;
  if (req?.raw !== undefined) return '@headgate/hono';
  if (req !== undefined && app !== undefined) return '@headgate/koa';
  if (typeof url === 'string' && typeof app === 'function') return '@headgate/express';
  return undefined;
}
