import {
  compileWith,
  type Framework,
  fastifyPath,
  fastifyRouting,
  routeKind,
  trustsAnyProxy,
} from '@headgate/core/http';
import { type ExecutionContext, Logger, RequestMethod } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { pathToRegexp } from 'path-to-regexp';
import { type PlatformRequest, requestOf } from './platform.ts';

const logger = new Logger('ConcurrencyLimit');
const reflector = new Reflector();

export const framework: Framework<ExecutionContext> = {
  method: (context) => requestOf(context).method,
  path: (context) => pathFor(requestOf(context)),
  kind: (context) => {
    const [controller, handler] = [context.getClass(), context.getHandler()];
    // Read from the metadata: decorators of the application may have replaced handlers with functions of the same name.
    const method = RequestMethod[reflector.get<RequestMethod>('method', handler)];
    const route = `${method} ${reflector.get('path', handler)}`;
    return routeKind(controller, `${controller.name}.${handler.name} ${route}`);
  },
  report: (_, error) => logger.error(error),
  address: (context) => {
    const request = requestOf(context);
    return (request.raw ?? request).socket?.remoteAddress;
  },
  header: (context, name) => requestOf(context).headers[name] as string | undefined,
  trustsAnyProxy: (context) => trustsAnyProxy(requestOf(context)),
  routing: (context) => routingOf(requestOf(context)),
  compile: compileWith(pathToRegexp),
};

/** The path that the platform has routed, after any rewriting. */
function pathFor({ raw, server, baseUrl, path }: PlatformRequest): string {
  return raw !== undefined && server !== undefined
    ? fastifyPath(raw.url, server)
    : `${baseUrl}${path}`;
}

function routingOf({ app, server }: PlatformRequest) {
  if (server !== undefined) return fastifyRouting(server);
  const isEnabled = (name: string) => app?.enabled(`${name} routing`) === true;
  return { caseSensitive: isEnabled('case sensitive'), strict: isEnabled('strict') };
}
