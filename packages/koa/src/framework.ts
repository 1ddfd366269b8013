import {
  compileWith,
  type Framework,
  pathOf,
  routeKind,
  trustsAnyProxy,
} from '@headgate/core/http';
import type { Context } from 'koa';
import { pathToRegexp } from 'path-to-regexp';

/**
 * The properties that @koa/router sets: the routes and middleware whose path matches, and the path of the last one that
 * has run.
 */
interface Routed {
  readonly matched?: readonly { readonly path: unknown }[];
  readonly _matchedRoute?: unknown;
}

export const framework: Framework<Context> = {
  method: ({ req }) => req.method as string,
  path: (ctx) => (ctx.mountPath === undefined ? ctx.path : mounted(ctx)),
  kind: (ctx) => {
    const { matched, _matchedRoute: path } = ctx as Routed;
    if (path === undefined) return undefined;
    // Identified by the layer, since the layer's path lacks the prefix of koa-mount.
    const route = matched?.findLast((layer) => layer.path === path);
    // In upper case: the router accepts any case, and a client may send any case over HTTP/2.
    return route && routeKind(route, ctx.method.toUpperCase(), `${path}`);
  },
  // Converted to an error, since Koa's own listener accepts nothing else.
  report: (ctx, error) => void ctx.app.emit('error', asError(error), ctx),
  header: (ctx, name) => ctx.req.headers[name] as string | undefined,
  address: ({ req }) => req.socket?.remoteAddress,
  trustsAnyProxy: ({ request }) => trustsAnyProxy(request),
  // The defaults of @koa/router.
  routing: () => ({ caseSensitive: false, strict: false }),
  compile: compileWith(pathToRegexp),
};

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(`non-error thrown: ${String(thrown)}`);
}

/**
 * Returns the full path under koa-mount. koa-mount strips the prefix from `ctx.path` and leaves it in `ctx.mountPath`,
 * but a nested mounted app overwrites `ctx.mountPath`. So the original URL completes the path, unless the path was
 * rewritten as well.
 */
function mounted({ mountPath, path, originalUrl }: Context): string {
  const original = pathOf(originalUrl);
  const full = mountPath + path;
  // If the path is only the prefix, it has become `/`.
  const inside = original.endsWith(full) || (path === '/' && original.endsWith(mountPath));
  const behind = path.includes(mountPath) && original.endsWith(path);
  return inside || behind ? original : full;
}
