import { compileWith, decodedPath, type Framework } from '@headgate/core/http';
import { pathToRegexp } from 'path-to-regexp';

const compilePath = compileWith(pathToRegexp);

/** The request of any host, which may extend `Request`. */
export const framework: Framework<Request> = {
  method: (request) => request.method,
  path: (request) => new URL(request.url).pathname,
  // Only the host can have a router. The application may set the permit's `kind`.
  kind: () => undefined,
  report: (_, error) => console.error(error),
  header: (request, name) => request.headers.get(name) ?? undefined,
  // The application's own router may ignore both, and must not bypass the limit.
  routing: () => ({ caseSensitive: false, strict: false }),
  /** A route matches if the path or the decoded path does, since some routers decode the path and others do not. */
  compile(pattern, routing) {
    const test = compilePath(pattern, routing);
    return (path) => test(path) || test(decodedPath(path));
  },
};
