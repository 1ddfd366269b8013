import { compileWith, type Framework } from '@headgate/core/http';
import type { Context } from 'hono';
import { pathToRegexp } from 'path-to-regexp';

/** What @hono/node-server passes as `env`. */
interface NodeBindings {
  readonly incoming?: { readonly socket?: { readonly remoteAddress?: string } | null };
}

export const framework: Framework<Context> = {
  method: (c) => c.req.method,
  path: (c) => c.req.path,
  kind: (c) => {
    // Hono has deprecated it in favour of `hono/route`, but older versions do not have that.
    const route = c.req.matchedRoutes[c.req.routeIndex];
    // The method of the request is not used, since a client may invent one over HTTP/2.
    return route && `${route.method} ${route.path}`;
  },
  // Hono's default error handler does the same. The app's own handler could only send a response.
  report: (_, error) => console.error(error),
  header: (c, name) => c.req.header(name),
  address: (c) => (c.env as NodeBindings | undefined)?.incoming?.socket?.remoteAddress,
  // Without `strict`, Hono has already removed the trailing slash from the path.
  routing: () => ({ caseSensitive: true, strict: true }),
  compile: compileWith(pathToRegexp),
};
