import type { Routing } from './route.ts';
import { decodedPath, pathOf } from './route.ts';

/** How a Fastify instance matches routes. */
interface RouterOptions {
  readonly caseSensitive?: boolean;
  readonly ignoreTrailingSlash?: boolean;
  readonly ignoreDuplicateSlashes?: boolean;
  readonly useSemicolonDelimiter?: boolean;
}

/** The properties of a Fastify instance that are read here. Fastify 5 also accepts the options in `routerOptions`. */
export interface FastifyRouter {
  readonly initialConfig: RouterOptions & { readonly routerOptions?: RouterOptions };
}

function optionsOf({ initialConfig }: FastifyRouter): RouterOptions {
  return { ...initialConfig, ...initialConfig.routerOptions };
}

/**
 * The path as Fastify's router reads it. If it were read differently, another spelling of a path could bypass its
 * limit.
 */
export function fastifyPath(target: string, router: FastifyRouter): string {
  const options = optionsOf(router);
  const { caseSensitive = true, ignoreDuplicateSlashes, useSemicolonDelimiter } = options;
  // Fastify 4 first removes everything before the path, even a `?`.
  let path = pathOf(target.replace(/^https?:\/\/[^/]*\//i, '/'));
  if (useSemicolonDelimiter) path = path.split(';', 1)[0] as string;
  path = decodedPath(path);
  if (ignoreDuplicateSlashes) path = path.replace(/\/{2,}/g, '/');
  // A case-insensitive regular expression would miss characters such as the Kelvin sign, whose lower case is a plain k.
  return caseSensitive ? path : path.toLowerCase();
}

/** Routing like Fastify's: `/reports/:id` also matches an empty parameter. */
export function fastifyRouting(router: FastifyRouter): Routing {
  const { caseSensitive = true, ignoreTrailingSlash = false } = optionsOf(router);
  return { caseSensitive, strict: !ignoreTrailingSlash, emptyParameters: true };
}
