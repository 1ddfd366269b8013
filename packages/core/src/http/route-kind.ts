interface Kinds {
  /** Two mounted routers may have routes of the same name, such as `GET /`. */
  readonly number: number;
  /** Kept, since to make the name for each request would take longer than to look it up. */
  readonly byMethod: Map<string, string>;
}

const kindsOf = new WeakMap<object, Kinds>();
let count = 0;

/**
 * The kind of work of a route.
 *
 * @param route The framework's own object for the route, the same for each request.
 * @param path What the application has registered, never what a client has sent: clients could create kinds.
 */
export function routeKind(route: object, method: string, path: string): string {
  let kinds = kindsOf.get(route);
  if (kinds === undefined) {
    kinds = { number: ++count, byMethod: new Map() };
    kindsOf.set(route, kinds);
  }
  let kind = kinds.byMethod.get(method);
  if (kind === undefined) {
    kind = `${method} ${path} #${kinds.number}`;
    kinds.byMethod.set(method, kind);
  }
  return kind;
}
