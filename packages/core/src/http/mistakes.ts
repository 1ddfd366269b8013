import type { Handle, Limiter } from '../limiter/limiter.ts';
import { UNNAMED } from '../limiter/options.ts';
import type { Rejection } from '../semaphore/rejection.ts';
import { warnOnce } from '../warning.ts';
import type { Framework } from './framework.ts';
import type { HandledRequest } from './handled-request.ts';
import { ipKey } from './ip-key.ts';
import type { RouteTest } from './route.ts';

/** Number of requests after which a limit is no longer examined. */
const MAX_EXAMINED = 1000;

/** Number of rejections after which a limit is reported. The tests of an app cause fewer. */
const MIN_REJECTIONS = 100;

/** Maximum number of segments in a router's prefix. Bounded, since a client chooses how many segments its path has. */
const MAX_PREFIX_SEGMENTS = 8;

/** Reports a middleware that receives only requests that no route has handled. */
export function warnBehindRoutes(): void {
  warnOnce(
    'HEADGATE_BEHIND_ROUTES',
    'a limit is registered behind all routes, so it does not apply to them: register it before them',
  );
}

/**
 * Reports that a limit sheds load, since nothing else does: a rejection runs no code of the app.
 *
 * @param counts Number of rejections by the name of the limit, which it updates.
 */
export function checkShedding(
  counts: Map<string, number>,
  { reason, limitName, queued }: Rejection,
): void {
  if (reason === 'closed' || reason === 'store') return;
  const count = (counts.get(limitName) ?? 0) + 1;
  counts.set(limitName, count);
  if (count !== MIN_REJECTIONS) return;
  const message = `limit "${limitName}" sheds load: it has rejected ${count} requests with 503, the latest with the reason "${reason}" and ${queued} queued`;
  warnOnce('HEADGATE_SHEDDING', message, limitName);
}

/** Reports a limit that has the name of one around it, as if both counted together. */
export function checkNesting({ demands }: HandledRequest, { limiters }: Handle): void {
  for (const { limiter: outer } of demands) {
    const { name } = outer;
    const isSame = (inner: Limiter) => inner.name === name && inner !== outer;
    if (name === UNNAMED || !Object.values(limiters).some(isSame)) continue;
    const message = `a request passes two limits named "${name}", which count separately: share one limiter, or rename one`;
    warnOnce('HEADGATE_SAME_NAME', message);
  }
}

/** The parts of an invented request that has passed more proxies than any app trusts. */
const socket = { value: { remoteAddress: '192.0.2.1' } };
const headers = { value: { 'x-forwarded-for': Array(99).fill('192.0.2.1').join() } };
const raw = { value: Object.create(null, { socket, headers }) };

/** Whether an app of Express, Koa or Fastify trusts any number of proxies, whatever the form of its setting. */
export function trustsAnyProxy(request: { readonly ips?: readonly string[] | undefined }): boolean {
  const { ips }: typeof request = Object.create(request, { socket, headers, raw, req: raw });
  return ips !== undefined && ips.length >= 99;
}

/** Examines the first requests of a limit that has a route or a key, and reports those that show a mistake. */
export class LimitCheck<R> {
  #unmatched = 0;
  #keyed = 0;
  #hasMatched = false;
  #hasKey = false;

  constructor(
    private readonly framework: Framework<R>,
    private readonly name: string,
  ) {}

  /** Called when the route has matched. */
  matched(): void {
    this.#hasMatched = true;
  }

  /** Called when the route has not matched. Reports a route that would match the path without its first segments. */
  unmatched(request: R, route: string, test: RouteTest): void {
    if (this.#hasMatched || this.#unmatched === MAX_EXAMINED) return;
    this.#unmatched++;
    const method = this.framework.method(request);
    const path = this.framework.path(request);
    let left = MAX_PREFIX_SEGMENTS;
    for (let at = path.indexOf('/', 1); at > 0 && left > 0; at = path.indexOf('/', at + 1)) {
      left--;
      const isEmptySegment = path[at - 1] === '/';
      if (isEmptySegment || !test(method, path.slice(at))) continue;
      return warnOnce(
        'HEADGATE_ROUTE_PREFIX',
        `route "${route}" of limit "${this.name}" does not match a request whose path ends with it: a route is the full path, with the prefix under which a router is mounted`,
      );
    }
  }

  /** Called with the key that the app has computed; undefined if the limit does not apply. */
  keyed(request: R, key: string | undefined): void {
    if (this.#keyed === MAX_EXAMINED) return;
    this.#keyed++;
    if (key !== undefined) {
      this.#hasKey = true;
      this.#checkProxy(request, key);
    } else if (this.#keyed === MAX_EXAMINED && !this.#hasKey) {
      warnOnce(
        'HEADGATE_KEY_UNDEFINED',
        `key of limit "${this.name}" has been undefined for ${MAX_EXAMINED} requests, so the limit has not applied to any: does the middleware run before authentication?`,
      );
    }
  }

  /**
   * Reports a key that is the address of a proxy, which all clients behind it would share, or an address that a client
   * may have invented.
   */
  #checkProxy(request: R, key: string): void {
    const { framework, name } = this;
    const forwarded = framework.header(request, 'x-forwarded-for');
    if (forwarded === undefined) return;
    const isAddress = (address: string | undefined) =>
      address && (contains(key, address) || contains(key, ipKey(address)));
    if (isAddress(framework.address?.(request))) {
      warnOnce(
        'HEADGATE_UNTRUSTED_PROXY',
        `key of limit "${name}" is the address of the connection, but the request has X-Forwarded-For: behind a proxy, all clients share this key until the app trusts the proxy`,
      );
    } else if (
      isAddress(forwarded.split(',', 1)[0]?.trim()) &&
      framework.trustsAnyProxy?.(request)
    ) {
      warnOnce(
        'HEADGATE_PERMISSIVE_PROXY',
        `key of limit "${name}" is the first address of X-Forwarded-For, and the app trusts any number of proxies: a client can choose its key by that header, so trust only as many proxies as there are`,
      );
    }
  }
}

/** Whether the key contains this address as a whole: `::1` must not match the end of `2001:db8::1`. */
function contains(key: string, address: string): boolean {
  const [bare = ''] = address.split('/');
  const parts = key.split(bare.includes(':') ? /[^\da-f:]+/i : /[^\d.]+/);
  return parts.some((part) => part === bare || part === `:${bare}`);
}
