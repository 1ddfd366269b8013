import { compileWith, type Framework } from '@headgate/core/http';
import type { Request } from 'express';
import { pathToRegexp } from 'path-to-regexp';

export const framework: Framework<Request> = {
  options: ['abandonAfter'],
  method: (req) => req.method,
  // What earlier middleware has made of the URL is what Express finds the route by.
  path: (req) => req.baseUrl + req.path,
  header: (req, name) => req.headers[name] as string | undefined,
  routing: ({ app }) => ({
    caseSensitive: app.enabled('case sensitive routing'),
    strict: app.enabled('strict routing'),
  }),
  compile: compileWith(pathToRegexp),
};
