import { HeadgateError, invalid } from '../errors.ts';
import { nearest } from '../suggestion.ts';

/** How the framework matches paths. */
export interface Routing {
  /** Whether the router distinguishes upper and lower case. */
  readonly caseSensitive: boolean;
  /** Whether the router distinguishes paths with and without a trailing slash. */
  readonly strict: boolean;
  /**
   * Whether parameters and wildcards also match an empty string: `/reports/:id` then matches `/reports/`. Default:
   * false.
   */
  readonly emptyParameters?: boolean;
}

/**
 * Compiles a path pattern to a test that takes time linear in the length of the path. Throws for an invalid pattern.
 */
export type Compile = (pattern: string, routing: Routing) => (path: string) => boolean;

/** The function of path-to-regexp that is used. Adapters pass it in, since the core has no dependencies. */
type PathToRegexp = (
  pattern: string,
  options: { sensitive: boolean; trailing: boolean },
) => { regexp: RegExp };

/** A parameter or a wildcard of a pattern, with its name. */
const variable = /(?<!\\)[:*](?:"(?:\\.|[^"])*"|[\p{ID_Continue}$]+)/gu;

/** Returns a `Compile` that uses the function `pathToRegexp` of path-to-regexp 9. */
export function compileWith(pathToRegexp: PathToRegexp): Compile {
  return (pattern, { caseSensitive, strict, emptyParameters = false }) => {
    const complete = emptyParameters ? pattern.replace(variable, '{$&}') : pattern;
    const { regexp } = pathToRegexp(complete, { sensitive: caseSensitive, trailing: !strict });
    return (path) => regexp.test(path);
  };
}

/** The methods that Node parses, and `QUERY`. */
const methods =
  'GET POST PUT PATCH DELETE HEAD OPTIONS QUERY TRACE CONNECT ACL BIND CHECKOUT COPY LINK LOCK M-SEARCH MERGE MKACTIVITY MKCALENDAR MKCOL MOVE NOTIFY PROPFIND PROPPATCH PURGE REBIND REPORT SEARCH SOURCE SUBSCRIBE UNBIND UNLINK UNLOCK UNSUBSCRIBE'.split(
    ' ',
  );

/** Whether a route matches a method and a full path. */
export type RouteTest = (method: string, path: string) => boolean;

/**
 * Compiles a route, which is an optional method and a path pattern: `/reports/:id`, `POST /reports/:id`,
 * `/files/*path`.
 */
export function compileRoute(route: unknown, compile: Compile, routing: Routing): RouteTest {
  if (typeof route !== 'string') throw invalid('route', 'a string', route, 'ERR_HEADGATE_ROUTE');
  const [, method, pattern = ''] = /^(?:([A-Za-z-]+)\s+)?(\/\S*)$/.exec(route.trim()) ?? [];
  if (pattern === '') throw unparsable(route, 'expected an optional method and a path from /');
  const wanted = method?.toUpperCase();
  if (wanted !== undefined && !methods.includes(wanted)) {
    const meant = nearest(wanted, methods);
    const hint = meant === undefined ? '' : `; did you mean ${meant}?`;
    throw unparsable(route, `there is no method ${wanted}${hint}`);
  }
  // Every supported framework routes HEAD requests to the GET handler.
  const alsoHead = wanted === 'GET';
  try {
    const test = compile(named(pattern), routing);
    return (actual, path) =>
      (wanted === undefined || wanted === actual || (alsoHead && actual === 'HEAD')) && test(path);
  } catch (error) {
    throw unparsable(route, (error as Error).message);
  }
}

/** Gives each bare `*` wildcard a name. Some frameworks allow bare wildcards; path-to-regexp requires a name. */
function named(pattern: string): string {
  let count = 0;
  return pattern.replace(/\/\*(?=\/|$)/g, () => `/*wildcard${count++}`);
}

function unparsable(route: string, why: string): HeadgateError {
  const message = `route ${JSON.stringify(route)} cannot be parsed: ${why}`;
  return new HeadgateError('ERR_HEADGATE_ROUTE', message, 'route');
}

/**
 * Returns the path of a request's target as the client sent it. A target may be a complete URL (RFC 9112, 3.2.2), and
 * may contain a fragment. The path is not parsed as a URL: unlike routers, a URL parser would remove `..` and reject
 * some paths.
 */
export function pathOf(target: string): string {
  const [path = ''] = target.split(/[?#]/, 1);
  return path.startsWith('/') ? path : path.replace(/^[a-z][a-z\d+.-]*:\/\/[^/]*/i, '') || '/';
}

/**
 * The path, percent-decoded except for characters that separate parts of a URL. A path that cannot be decoded is
 * returned unchanged.
 */
export function decodedPath(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}
