import { routeKind } from './route-kind.ts';

/** A route of Express. */
interface Route {
  readonly path?: unknown;
  /** Lower case; `_all` for any method. */
  readonly methods: Readonly<Record<string, boolean>>;
  readonly dispatch?: unknown;
}

/** The kind of work of a request that Express has routed, or undefined. Also serves a limit in front of the app. */
export function expressKind(request: { method?: string | undefined }): string | undefined {
  const { method = '', route } = request as { method?: string; route?: Route };
  // Other frameworks may set a `route` that a client chooses.
  if (typeof route?.dispatch !== 'function') return undefined;
  const { methods, path } = route;
  const isHead = method === 'HEAD' && methods.get === true;
  // The method as the application has registered it, since a client may make up methods.
  const name =
    methods[method.toLowerCase()] === true ? method.toUpperCase() : isHead ? 'GET' : 'ALL';
  // Express reveals the mount of a router only as the path that the client has requested.
  return routeKind(route, name, `${path}`);
}
