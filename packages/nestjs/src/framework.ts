import { compileWith, type Framework, fastifyPath, fastifyRouting } from '@headgate/core/http';
import { type ExecutionContext, Logger } from '@nestjs/common';
import { pathToRegexp } from 'path-to-regexp';
import { type PlatformRequest, requestOf } from './platform.ts';

const logger = new Logger('ConcurrencyLimit');

export const framework: Framework<ExecutionContext> = {
  method: (context) => requestOf(context).method,
  path: (context) => pathFor(requestOf(context)),
  kind: (context) => `${context.getClass().name}.${context.getHandler().name}`,
  report: (_, error) => logger.error(error),
  header: (context, name) => requestOf(context).headers[name] as string | undefined,
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
