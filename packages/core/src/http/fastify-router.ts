import { decodedPath, pathOf } from './path-of.ts';
import type { Routing } from './route.ts';

/** How an instance of Fastify routes. */
interface RouterOptions {
  readonly caseSensitive?: boolean;
  readonly ignoreTrailingSlash?: boolean;
  readonly ignoreDuplicateSlashes?: boolean;
  readonly useSemicolonDelimiter?: boolean;
}

/** The part of an instance of Fastify that is used. Fastify 5 also accepts the options in `routerOptions`. */
export interface FastifyRouter {
  readonly initialConfig: RouterOptions & { readonly routerOptions?: RouterOptions };
}

function optionsOf({ initialConfig }: FastifyRouter): RouterOptions {
  return { ...initialConfig, ...initialConfig.routerOptions };
}

/** The path as Fastify's router reads it, so that no spelling of a path bypasses its limit. */
export function fastifyPath(target: string, router: FastifyRouter): string {
  const options = optionsOf(router);
  const { caseSensitive = true, ignoreDuplicateSlashes, useSemicolonDelimiter } = options;
  // The router of Fastify 4 removes everything up to the path first, even a `?`.
  let path = pathOf(target.replace(/^https?:\/\/[^/]*\//i, '/'));
  if (useSemicolonDelimiter) path = path.split(';', 1)[0] as string;
  path = decodedPath(path);
  if (ignoreDuplicateSlashes) path = path.replace(/\/{2,}/g, '/');
  // A regular expression without regard to case would not find all that becomes equal: the Kelvin sign, for one.
  return caseSensitive ? path : path.toLowerCase();
}

/** As Fastify's router does: `/reports/:id` also routes an empty parameter. */
export function fastifyRouting(router: FastifyRouter): Routing {
  const { caseSensitive = true, ignoreTrailingSlash = false } = optionsOf(router);
  return { caseSensitive, strict: !ignoreTrailingSlash, emptyParameters: true };
}
