import { compileWith, type Framework } from '@headgate/core/http';
import type { Request } from 'express';
import { pathToRegexp } from 'path-to-regexp';

/** Identifies the routes of mounted routers, two of which may have the same path. */
const routeNumbers = new WeakMap<object, number>();
let routeCount = 0;

function numberOf(route: object): number {
  const known = routeNumbers.get(route);
  if (known !== undefined) return known;
  routeNumbers.set(route, ++routeCount);
  return routeCount;
}

export const framework: Framework<Request> = {
  options: ['abandonAfter'],
  method: (req) => req.method,
  // Uses the URL as rewritten by earlier middleware, since Express routes by that.
  path: (req) => req.baseUrl + req.path,
  kind: (req) => {
    const route: { readonly path: unknown } | undefined = req.route;
    if (typeof route?.path !== 'string') return undefined;
    // Express reveals the requested path of the mount, not its pattern: with parameters, each value would be a kind.
    const mount = req.baseUrl === '' ? '' : `mount ${numberOf(route)}: `;
    return `${req.method} ${mount}${route.path}`;
  },
  report: (req, error) => req.next?.(error),
  header: (req, name) => req.headers[name] as string | undefined,
  routing: ({ app }) => ({
    caseSensitive: app.enabled('case sensitive routing'),
    strict: app.enabled('strict routing'),
  }),
  compile: compileWith(pathToRegexp),
};
