import { compileWith, decodedPath, expressKind, type Framework, pathOf } from '@headgate/core/http';
import { pathToRegexp } from 'path-to-regexp';
import type { Message } from './message.ts';

const compilePath = compileWith(pathToRegexp);

/**
 * A route matches if any of the paths that a router may see does, since the application's own router must not bypass
 * the limit.
 */
const compile: Framework<Message>['compile'] = (pattern, routing) => {
  const test = compilePath(pattern, routing);
  return (target) => readingsOf(target).some(test);
};

/** The path as it was sent, and as a URL resolves it (without `..` and backslashes); each also decoded. */
export function readingsOf(target: string): string[] {
  const paths = [pathOf(target)];
  // A target such as `//host/path` is only parsed correctly with an origin. Which one does not matter.
  if (URL.canParse(target, 'http://localhost'))
    paths.push(new URL(target, 'http://localhost').pathname);
  return [...paths, ...paths.map(decodedPath)];
}

export const framework: Framework<Message> = {
  method: (req) => req.method as string,
  path: (req) => req.url as string,
  // Without Express, an inner limit may know the route, and the application may set the permit's `kind`.
  kind: expressKind,
  // There is no error handling to report to, and throwing here would end the process.
  report: (_, error) => console.error(error),
  header: (req, name) => req.headers[name] as string | undefined,
  address: (req) => req.socket?.remoteAddress,
  // The application's own router may ignore both, and must not bypass the limit.
  routing: () => ({ caseSensitive: false, strict: false }),
  compile,
};
