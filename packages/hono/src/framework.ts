import { compileWith, type Framework } from '@headgate/core/http';
import type { Context } from 'hono';
import { pathToRegexp } from 'path-to-regexp';

export const framework: Framework<Context> = {
  method: (c) => c.req.method,
  path: (c) => c.req.path,
  header: (c, name) => c.req.header(name),
  // Without `strict`, Hono has taken the trailing slash off the path.
  routing: () => ({ caseSensitive: true, strict: true }),
  compile: compileWith(pathToRegexp),
};
