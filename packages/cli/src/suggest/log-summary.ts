import { Clients } from './clients.ts';
import { type Entry, entryOf, type Unread } from './formats.ts';
import { RouteLog } from './route-log.ts';

/** Further routes are counted together. Bounds the memory if paths contain names. */
const MAX_ROUTES = 100;
/** The name of all routes beyond that. */
export const OTHERS = 'other routes';

/** Collects what the lines of a log say about each route. */
export class LogSummary {
  lines = 0;
  from = Infinity;
  to = -Infinity;
  /** All requests together. */
  readonly all = new RouteLog();
  readonly routes = new Map<string, RouteLog>();
  readonly clients = new Clients();
  /** The lines that could not be used: their number, and the first one. */
  readonly unread = new Map<Unread, { count: number; readonly first: string }>();
  readonly #pattern: RegExp | undefined;
  readonly #hasClients: boolean;

  /**
   * @param pattern Only requests whose path matches; `*` stands for any characters.
   * @param hasClients Whether to count the requests of each client.
   */
  constructor(pattern?: string, hasClients = false) {
    this.#pattern = pattern === undefined ? undefined : patternOf(pattern);
    this.#hasClients = hasClients;
  }

  add(line: string): void {
    if (line === '') return;
    this.lines++;
    const entry = entryOf(line);
    if (typeof entry === 'string') {
      const unread = this.unread.get(entry);
      if (unread === undefined) this.unread.set(entry, { count: 1, first: line });
      else unread.count++;
    } else if (this.#pattern?.test(entry.path) !== false) this.#count(entry);
  }

  #count(entry: Entry): void {
    this.from = Math.min(this.from, entry.end - entry.took);
    this.to = Math.max(this.to, entry.end);
    this.all.add(entry);
    if (this.#hasClients) this.clients.add(entry);
    // Scanners request thousands of paths that do not exist.
    if (this.#pattern === undefined && entry.status !== 404)
      this.#route(routeOf(entry.path)).add(entry);
  }

  #route(name: string): RouteLog {
    const known = this.routes.get(name);
    if (known !== undefined) return known;
    if (this.routes.size >= MAX_ROUTES && name !== OTHERS) return this.#route(OTHERS);
    const route = new RouteLog();
    this.routes.set(name, route);
    return route;
  }
}

/** Longer names are cut. */
const MAX_NAME = 80;

/**
 * The route that a path probably belongs to: segments with a digit, which are mostly identifiers, become `:id`. Clients
 * choose paths, and routes are printed as code, so other characters than those of usual routes become `?`.
 */
function routeOf(path: string): string {
  const route = path.replace(/\/(?!v\d+(?:\/|$))[^/]*\d[^/]*/g, '/:id');
  return route.replace(/[^\w\-./:~%@+]/g, '?').slice(0, MAX_NAME);
}

function patternOf(pattern: string): RegExp {
  const parts = pattern.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`);
}
