import { checkNames, checkSpan } from '../checks.ts';
import { timeLeftFromHeaders } from './deadline-headers.ts';

/** Tells how long the client of a request still waits for the response. */
export interface TimeLeft {
  /**
   * Returns milliseconds from 0 to `max`, or undefined if no header of the request says so.
   *
   * @param request The framework's request, as the other options receive it.
   */
  (request: object): number | undefined;
  /** How long clients wait at most, in milliseconds. A request without a header may wait for as long in the queue. */
  readonly max: number;
}

/**
 * Makes `queueTimeout` the time for which the client still waits, as its proxy or the client itself says it:
 * `X-Request-Start`, `X-Envoy-Expected-Rq-Timeout-Ms`, `grpc-timeout`, `Connect-Timeout-Ms`, `Expect-Within`, or
 * `Prefer: wait`. The header that says the least counts. Invalid values, and those above `max`, are ignored.
 *
 * @param options `max`: how long clients wait at most until a response begins, in milliseconds (above 0).
 * @throws HeadgateError for an unknown option, and an invalid `max`.
 */
export function timeLeft(options: { max: number }): TimeLeft {
  checkNames('timeLeft', options, ['max']);
  const max = checkSpan('max', options.max);
  const read = (request: object) => timeLeftFromHeaders(headersOf(request), max, Date.now());
  return Object.assign(read, { max });
}

/** Where the requests of the frameworks have their headers. */
interface AnyRequest {
  /** Express, Fastify, Koa and `node:http`: an object. A web-standard request: `Headers`. */
  readonly headers?: Readonly<Record<string, unknown>> | Pick<Headers, 'get'>;
  /** Hono. */
  readonly req?: { readonly raw: { readonly headers: Headers } };
  /** NestJS. */
  switchToHttp?(): { getRequest(): AnyRequest };
}

function headersOf(request: AnyRequest): (name: string) => string | undefined {
  const { headers, req } = request.switchToHttp?.().getRequest() ?? request;
  const fields = headers ?? req?.raw.headers ?? {};
  return (name) => {
    const value = isWeb(fields) ? fields.get(name) : fields[name];
    return typeof value === 'string' ? value : undefined;
  };
}

/** Compares the type, since a client may send a header of the name `get`. */
function isWeb(headers: NonNullable<AnyRequest['headers']>): headers is Pick<Headers, 'get'> {
  return typeof headers.get === 'function';
}
