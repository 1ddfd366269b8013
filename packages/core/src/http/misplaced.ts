import { HeadgateError } from '../errors.ts';

/** What the first argument of a middleware may be, in any supported framework. */
interface First {
  readonly req?: { readonly raw?: unknown } | undefined;
  readonly app?: unknown;
  readonly url?: unknown;
  readonly headers?: unknown;
}

/** The error for a middleware that was called with arguments its framework never passes. */
export function misplaced(adapter: string, first: unknown): HeadgateError {
  const right = adapterOf(first);
  const remedy =
    right === undefined
      ? 'use it in an app of its framework, or limit a bare server with createLimiter()'
      : `use ${right}`;
  return new HeadgateError(
    'ERR_HEADGATE_MIDDLEWARE',
    `the middleware of ${adapter} was called by another framework or server: ${remedy}`,
  );
}

/**
 * @throws HeadgateError if the options are a request: `concurrencyLimit` itself was registered instead of its result.
 */
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
