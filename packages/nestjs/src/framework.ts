import { compileWith, type Framework, pathOf } from '@headgate/core/http';
import { type ExecutionContext, Logger } from '@nestjs/common';
import { pathToRegexp } from 'path-to-regexp';
import { type PlatformRequest, requestOf } from './platform.ts';

const logger = new Logger('ConcurrencyLimit');

export const framework: Framework<ExecutionContext> = {
  method: (context) => requestOf(context).method,
  path: (context) => decode(pathOf(requestOf(context).originalUrl)),
  kind: (context) => `${context.getClass().name}.${context.getHandler().name}`,
  report: (_, error) => logger.error(error),
  header: (context, name) => requestOf(context).headers[name] as string | undefined,
  routing: (context) => routingOf(requestOf(context)),
  compile: compileWith(pathToRegexp),
};

function routingOf({ app, server }: PlatformRequest) {
  if (server === undefined) {
    const isEnabled = (name: string) => app?.enabled(`${name} routing`) === true;
    return { caseSensitive: isEnabled('case sensitive'), strict: isEnabled('strict') };
  }
  const { routerOptions, ...options } = server.initialConfig;
  const { caseSensitive = true, ignoreTrailingSlash = false } = { ...options, ...routerOptions };
  return { caseSensitive, strict: !ignoreTrailingSlash, emptyParameters: true };
}

/** Fastify routes the decoded path; Express responds to an encoded one with 404, before the limit. */
function decode(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}
