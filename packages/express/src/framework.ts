import { compileWith, type Framework } from '@headgate/core/http';
import type { Request } from 'express';
import { pathToRegexp } from 'path-to-regexp';

export const framework: Framework<Request> = {
  options: ['abandonAfter'],
  method: (req) => req.method,
  // Uses the URL as rewritten by earlier middleware, since Express routes by that.
  path: (req) => req.baseUrl + req.path,
  response: (req) => req.res,
  kind: (req) => {
    const path: unknown = req.route?.path;
    return typeof path === 'string' ? `${req.method} ${req.baseUrl}${path}` : undefined;
  },
  report: (req, error) => req.next?.(error),
  header: (req, name) => req.headers[name] as string | undefined,
  routing: ({ app }) => ({
    caseSensitive: app.enabled('case sensitive routing'),
    strict: app.enabled('strict routing'),
  }),
  compile: compileWith(pathToRegexp),
};
