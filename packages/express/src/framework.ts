import { compileWith, type Framework, routeKind } from '@headgate/core/http';
import type { Request } from 'express';
import { pathToRegexp } from 'path-to-regexp';

/** The properties of a route of Express that are used here. */
interface Route {
  readonly path?: unknown;
  /** Lower case; `_all` for any method. */
  readonly methods?: Readonly<Record<string, boolean>>;
}

export const framework: Framework<Request> = {
  method: (req) => req.method,
  // Uses the URL as rewritten by earlier middleware, since Express routes by that.
  path: (req) => req.baseUrl + req.path,
  kind: (req) => {
    const route: Route | undefined = req.route;
    if (route?.path === undefined) return undefined;
    // Express reveals the mount of a router only as the path that the client has requested.
    return routeKind(route, methodOf(route, req.method.toLowerCase()), `${route.path}`);
  },
  report: (req, error) => req.next?.(error),
  header: (req, name) => req.headers[name] as string | undefined,
  address: (req) => req.socket?.remoteAddress,
  routing: ({ app }) => ({
    caseSensitive: app.enabled('case sensitive routing'),
    strict: app.enabled('strict routing'),
  }),
  compile: compileWith(pathToRegexp),
};

/** The method as the application has registered it, since a client may make up methods. */
function methodOf({ methods = {} }: Route, method: string): string {
  if (methods[method] === true) return method.toUpperCase();
  return method === 'head' && methods.get === true ? 'GET' : 'ALL';
}
