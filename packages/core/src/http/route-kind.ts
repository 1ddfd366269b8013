interface Kinds {
  /** Distinguishes two mounted routers that have a route of the same name, such as `GET /`. */
  readonly number: number;
  /** Caches the kinds, since creating the string for each request would take longer than looking it up. */
  readonly byName: Map<string, string>;
}

const kindsOf = new WeakMap<object, Kinds>();
let count = 0;

/**
 * The kind of work that a route does.
 *
 * @param route The framework's own object for the route, the same for each request.
 * @param name Distinguishes kinds of the same route, by the method for instance.
 * @param path The path of the route as the app has registered it. Neither `name` nor `path` may come from a client,
 * since clients could then create any number of kinds.
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
