import type { Framework } from '@headgate/core/http';
import type { Context } from 'hono';
import { pathToRegexp } from 'path-to-regexp';

export const framework: Framework<Context> = {
  name: 'concurrencyLimit',
  method: (c) => c.req.method,
  path: (c) => c.req.path,
  header: (c, name) => c.req.header(name),
  // Without `strict`, Hono has taken the trailing slash off the path.
  routing: () => ({ caseSensitive: true, strict: true }),
  compile(pattern, { caseSensitive, strict }) {
    const { regexp } = pathToRegexp(pattern, { sensitive: caseSensitive, trailing: !strict });
    return (path) => regexp.test(path);
  },
};
