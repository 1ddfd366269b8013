import { compileWith, type Framework, pathOf } from '@headgate/core/http';
import type { Context } from 'koa';
import { pathToRegexp } from 'path-to-regexp';

export const framework: Framework<Context> = {
  method: ({ req }) => req.method as string,
  path: (ctx) => (ctx.mountPath === undefined ? ctx.path : mounted(ctx)),
  kind: (ctx) => {
    // Set by @koa/router.
    const { _matchedRoute: path } = ctx as { _matchedRoute?: unknown };
    return typeof path === 'string' ? `${ctx.method} ${path}` : undefined;
  },
  report: (ctx, error) => void ctx.app.emit('error', error, ctx),
  header: (ctx, name) => ctx.req.headers[name] as string | undefined,
  // The defaults of @koa/router.
  routing: () => ({ caseSensitive: false, strict: false }),
  compile: compileWith(pathToRegexp),
};

/**
 * The full path under koa-mount. It strips the prefix from `ctx.path` and leaves it in `ctx.mountPath`, but a nested
 * mounted app overwrites `ctx.mountPath`. The original URL completes the path, unless the path was rewritten as well.
 */
function mounted({ mountPath, path, originalUrl }: Context): string {
  const original = pathOf(originalUrl);
  const full = mountPath + path;
  // A path that is only the prefix has become `/`.
  const inside = original.endsWith(full) || (path === '/' && original.endsWith(mountPath));
  const behind = path.includes(mountPath) && original.endsWith(path);
  return inside || behind ? original : full;
}
