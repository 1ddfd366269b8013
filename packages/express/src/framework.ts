import { compileWith, type Framework } from '@headgate/core/http';
import type { Request } from 'express';
import { pathToRegexp } from 'path-to-regexp';

/** Numbers of the routes: the path of a router's mount is known only as each client has requested it. */
const numbers = new WeakMap<object, number>();
let latest = 0;

function nameOf(method: string, route: { readonly path: unknown }): string {
  const number = numbers.get(route) ?? ++latest;
  numbers.set(route, number);
  return `${method} ${route.path} (route ${number})`;
}

export const framework: Framework<Request> = {
  options: ['abandonAfter'],
  method: (req) => req.method,
  // Uses the URL as rewritten by earlier middleware, since Express routes by that.
  path: (req) => req.baseUrl + req.path,
  response: (req) => req.res,
  kind: (req) => {
    const route: { readonly path: unknown } | undefined = req.route;
    return typeof route?.path === 'string' ? nameOf(req.method, route) : undefined;
  },
  report: (req, error) => req.next?.(error),
  header: (req, name) => req.headers[name] as string | undefined,
  routing: ({ app }) => ({
    caseSensitive: app.enabled('case sensitive routing'),
    strict: app.enabled('strict routing'),
  }),
  compile: compileWith(pathToRegexp),
};
