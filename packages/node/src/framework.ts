import { compileWith, type Framework, pathOf } from '@headgate/core/http';
import { pathToRegexp } from 'path-to-regexp';
import type { Message } from './message.ts';

export const framework: Framework<Message> = {
  options: ['abandonAfter'],
  method: (req) => req.method as string,
  path: (req) => pathOf(req.url as string),
  // A server without a router has no routes; the application may set the permit's `kind`.
  kind: () => undefined,
  // There is no error handling to report to, and throwing here would end the process.
  report: (_, error) => console.error(error),
  header: (req, name) => req.headers[name] as string | undefined,
  // The application's own router may ignore both, and must not bypass the limit.
  routing: () => ({ caseSensitive: false, strict: false }),
  compile: compileWith(pathToRegexp),
};
