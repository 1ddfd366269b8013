import { compileWith, type Framework } from '@headgate/core/http';
import type { Context } from 'koa';
import { pathToRegexp } from 'path-to-regexp';

export const framework: Framework<Context> = {
  method: ({ req }) => req.method as string,
  path: (ctx) => pathOf(ctx.originalUrl),
  header: (ctx, name) => ctx.req.headers[name] as string | undefined,
  // As @koa/router has it.
  routing: () => ({ caseSensitive: false, strict: false }),
  compile: compileWith(pathToRegexp),
};

/** `ctx.path` has lost the prefix under which an app is mounted. */
function pathOf(url: string): string {
  const [path = ''] = url.split('?', 1);
  return URL.canParse(url) ? new URL(url).pathname : path;
}
