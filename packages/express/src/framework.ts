import { compileWith, expressKind, type Framework, trustsAnyProxy } from '@headgate/core/http';
import type { Request } from 'express';
import { pathToRegexp } from 'path-to-regexp';

export const framework: Framework<Request> = {
  method: (req) => req.method,
  // Uses the URL as rewritten by earlier middleware, since Express routes by that.
  path: (req) => req.baseUrl + req.path,
  kind: expressKind,
  report: (req, error) => req.next?.(error),
  header: (req, name) => req.headers[name] as string | undefined,
  address: (req) => req.socket?.remoteAddress,
  trustsAnyProxy,
  routing: ({ app }) => ({
    caseSensitive: app.enabled('case sensitive routing'),
    strict: app.enabled('strict routing'),
  }),
  compile: compileWith(pathToRegexp),
};
