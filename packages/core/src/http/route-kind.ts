interface Kinds {
  /** Two mounted routers may have routes of the same name, such as `GET /`. */
  readonly number: number;
  /** Kept, since to make the name for each request would take longer than to look it up. */
  readonly byName: Map<string, string>;
}

const kindsOf = new WeakMap<object, Kinds>();
let count = 0;

/**
 * The kind of work of a route.
 *
 * @param route The framework's own object for the route, the same for each request.
 * @param name Of each of its kinds, such as the method.
 * @param path The path of the route. Like the name, what the application has registered, never what a client has sent:
 *   clients could create kinds.
 */
export function routeKind(route: object, name: string, path = ''): string {
  let kinds = kindsOf.get(route);
  if (kinds === undefined) {
    kinds = { number: ++count, byName: new Map() };
    kindsOf.set(route, kinds);
  }
  let kind = kinds.byName.get(name);
  if (kind === undefined) {
    kind = `${path === '' ? name : `${name} ${path}`} #${kinds.number}`;
    kinds.byName.set(name, kind);
  }
  return kind;
}
