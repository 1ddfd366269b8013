import {
  compileWith,
  type Framework,
  fastifyPath,
  fastifyRouting,
  routeKind,
  trustsAnyProxy,
} from '@headgate/core/http';
import type { FastifyRequest } from 'fastify';
import { pathToRegexp } from 'path-to-regexp';

export const framework: Framework<FastifyRequest> = {
  method: (request) => request.method,
  path: ({ raw, server }) => fastifyPath(raw.url as string, server),
  kind: (request) => {
    if (request.is404) return undefined;
    const { url, config } = request.routeOptions;
    // Routes with different constraints have the same path.
    return routeKind(config, request.method, `${url}`);
  },
  report: (request, error) => request.log.error(error),
  header: (request, name) => request.headers[name] as string | undefined,
  address: ({ socket }) => socket?.remoteAddress,
  trustsAnyProxy,
  routing: ({ server }) => fastifyRouting(server),
  compile: compileWith(pathToRegexp),
};
