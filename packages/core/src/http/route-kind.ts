const numbers = new WeakMap<object, number>();
let count = 0;

/**
 * The kind of work of a route. A number identifies the route, since two mounted routers may have routes of the same name,
 * such as `GET /`.
 *
 * @param route The framework's own object for the route, the same for each request.
 * @param name What the application has registered, never what a client has sent: clients could create kinds.
 */
export function routeKind(route: object, name: string): string {
  let number = numbers.get(route);
  if (number === undefined) {
    number = ++count;
    numbers.set(route, number);
  }
  return `${name} #${number}`;
}
