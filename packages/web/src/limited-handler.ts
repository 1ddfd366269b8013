import {
  type Admission,
  type GatedRequest,
  HttpGate,
  type HttpOptions,
  misplaced,
  rejectionHandler,
  unlimited,
} from '@headgate/core/http';
import { framework } from './framework.ts';
import { WebExchange } from './web-exchange.ts';
import { withFields } from './with-fields.ts';

/** Handles an admitted request. */
export type Next<R extends Request> = (request: R) => Response | Promise<Response>;

/** Options of `concurrencyLimit`, with functions of a web-standard `Request` and its `Response`. */
export type ConcurrencyLimitOptions<R extends Request = Request> = HttpOptions<
  R,
  [request: R, next: Next<R>],
  Response | false | Promise<Response | false>,
  Response
>;

/** The argument of `classify`, once the handler has returned it. */
interface Reply {
  response?: Response | undefined;
}

/** The admission of this request, also if `onReject` lets a handler serve a rejected one. */
export function admissionOf(request: Request): Admission {
  return WebExchange.of(request, request).innermost?.admission ?? unlimited;
}

/** Runs requests through the gate: calls the handler, or responds with the rejection. */
export class LimitedHandler<R extends Request> {
  readonly http: HttpGate<R>;
  readonly #reject: (gated: GatedRequest, request: R, next: Next<R>) => Promise<Response>;

  constructor(options: ConcurrencyLimitOptions<R>) {
    this.http = new HttpGate<R>(withReply(options), framework);
    this.#reject = rejectionHandler(options.onReject, (gated, request) =>
      this.#respond(gated, request),
    );
  }

  async handle(request: R, next: Next<R>): Promise<Response> {
    if (typeof next !== 'function' || typeof request?.headers?.get !== 'function')
      throw misplaced('@headgate/web', request);
    const exchange = WebExchange.of(request, request);
    const reply: Reply = {};
    const gated = this.http.enter(request, exchange, reply);
    if (gated === undefined) return next(request);
    exchange.innermost = gated;
    if (gated.answered !== undefined) await gated.answered;
    // The client has disconnected; 499 tells outer middleware that the request was not handled.
    if (gated.disconnected) return new Response(null, { status: 499 });
    if (gated.rejection !== undefined) return this.#reject(gated, request, next);
    const fields = this.http.fields(gated);
    try {
      await gated.trackHandler(gated.run(() => respond(request, next, reply)));
    } catch (error) {
      // Middleware around this limit, or the host, responds; outer limits hold their permits until then.
      gated.ended('complete');
      throw error;
    }
    const { response } = reply;
    // If the result is not a response, the handler has upgraded the connection, or the host converts the result.
    if (response?.headers === undefined) {
      gated.ended('complete');
      return response as never;
    }
    gated.fixOutcome();
    reply.response = undefined;
    return exchange.watch(withFields(response, fields), request.method);
  }

  #respond(gated: GatedRequest, request: R): Response {
    const { status, headers, body } = this.http.responseTo(gated, request);
    return withFields(new Response(body, { status, headers }), this.http.fields(gated));
  }
}

/** Sets the reply before the permit may be released, since the release reads it. */
async function respond<R extends Request>(request: R, next: Next<R>, reply: Reply): Promise<void> {
  reply.response = await next(request);
}

/** Lets `classify` wait for the response. Hosts answer 500 for a handler that throws. */
function withReply<R extends Request>(options: ConcurrencyLimitOptions<R>) {
  const { classify } = options;
  if (typeof classify !== 'function') return options;
  return {
    ...options,
    classify: ({ response }: Reply) => classify(response ?? new Response(null, { status: 500 })),
  };
}
