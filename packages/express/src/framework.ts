import { compileWith, type Framework } from '@headgate/core/http';
import type { Request } from 'express';
import { pathToRegexp } from 'path-to-regexp';

/** Numbers of the routes of mounted routers. */
const numbers = new WeakMap<object, number>();
let latest = 0;

/** Of the mount's path, only what the client has requested is known, which may contain the name of a tenant. */
function numberOf(route: object): number {
  const number = numbers.get(route) ?? ++latest;
  numbers.set(route, number);
  return number;
}

export const framework: Framework<Request> = {
  options: ['abandonAfter'],
  method: (req) => req.method,
  // Uses the URL as rewritten by earlier middleware, since Express routes by that.
  path: (req) => req.baseUrl + req.path,
  response: (req) => req.res,
  kind: (req) => {
    const route: { readonly path: unknown } | undefined = req.route;
    if (typeof route?.path !== 'string') return undefined;
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
