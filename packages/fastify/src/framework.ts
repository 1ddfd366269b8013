import { compileWith, type Framework, pathOf } from '@headgate/core/http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { pathToRegexp } from 'path-to-regexp';

/** How an instance routes. Fastify 5 also accepts these options in `routerOptions`. */
interface RouterOptions {
  readonly caseSensitive?: boolean;
  readonly ignoreTrailingSlash?: boolean;
  readonly ignoreDuplicateSlashes?: boolean;
  readonly useSemicolonDelimiter?: boolean;
}

function routerOptions({ initialConfig }: FastifyInstance): RouterOptions {
  const { routerOptions } = initialConfig as { routerOptions?: RouterOptions };
  return { ...initialConfig, ...routerOptions };
}

/** The path as Fastify's router reads it, so that no spelling of a path bypasses its limit. */
function routedPath({ raw, server }: FastifyRequest): string {
  const { ignoreDuplicateSlashes, useSemicolonDelimiter } = routerOptions(server);
  const [path = ''] = pathOf(raw.url as string).split(useSemicolonDelimiter ? /[;#]/ : '#', 1);
  const decoded = decode(path);
  return ignoreDuplicateSlashes ? decoded.replace(/\/{2,}/g, '/') : decoded;
}

function decode(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    // The router responds to it.
    return path;
  }
}

export const framework: Framework<FastifyRequest> = {
  options: ['abandonAfter'],
  method: (request) => request.method,
  path: routedPath,
  kind: (request) => (request.is404 ? undefined : `${request.method} ${request.routeOptions.url}`),
  report: (request, error) => request.log.error(error),
  header: (request, name) => request.headers[name] as string | undefined,
  routing: ({ server }) => {
    const { caseSensitive = true, ignoreTrailingSlash = false } = routerOptions(server);
    return { caseSensitive, strict: !ignoreTrailingSlash, emptyParameters: true };
  },
  compile: compileWith(pathToRegexp),
};
