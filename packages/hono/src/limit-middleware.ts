import { onBun, onWorkers, workersClock } from '@headgate/core';
import {
  type Admission,
  type Exchange,
  type GatedRequest,
  HttpGate,
  type HttpOptions,
  misplaced,
  NodeExchange,
  rejectionHandler,
} from '@headgate/core/http';
import { WebExchange, withFields } from '@headgate/web/http';
import type { Context, Env, Next } from 'hono';
import { framework } from './framework.ts';
import { checkContext, checkWorkers, forwardWaitUntil, waitUntil } from './workers.ts';
import { WorkersRequests } from './workers-requests.ts';

/** The handler reads its admission from `c.var.admission`. */
export interface AdmissionEnv {
  /** The variables that the middleware sets. */
  Variables: {
    /** The permit, or why there is none. */
    admission: Admission;
  };
}

type Fields = ReturnType<HttpGate<Context>['fields']>;

// biome-ignore lint/suspicious/noConfusingVoidType: what Hono's own middleware may return
export type Answered = Response | undefined | void;

/** Options of `concurrencyLimit`, with functions of a Hono context. */
export type ConcurrencyLimitOptions<E extends Env = Env> = HttpOptions<
  Context<E>,
  [c: Context<E>, next: Next],
  Answered | false | Promise<Answered | false>,
  Context<E>
>;

// biome-ignore lint/suspicious/noExplicitAny: the app's own types end at the signature of `concurrencyLimit`
type AnyOptions = ConcurrencyLimitOptions<any>;

/**
 * Runs Hono requests through the gate. It uses no async function for a request that is not queued, since each one would
 * slow down the middleware around this one.
 */
export class LimitMiddleware {
  readonly http: HttpGate<Context>;
  /** Only on Cloudflare Workers. */
  readonly #requests = onWorkers() ? new WorkersRequests(workersClock) : undefined;
  readonly #isDistributed: boolean;
  readonly #reject: (gated: GatedRequest, c: Context, next: Next) => Promise<Answered>;

  constructor(options: AnyOptions) {
    this.http = new HttpGate<Context>(this.#requests ? forWorkers(options) : options, framework);
    this.#isDistributed = Object.values(this.http.gate.limiters).some((each) => each.isDistributed);
    this.#reject = rejectionHandler(options.onReject, (gated, c) => this.#respond(gated, c));
  }

  handle(c: Context, next: Next): Promise<Answered> {
    if (typeof next !== 'function' || c.req?.raw === undefined) {
      throw misplaced('@headgate/hono', c);
    }
    if (this.#requests !== undefined) {
      checkContext(c);
      this.#requests.sweep();
    }
    const exchange = exchangeOf(c);
    const gated = this.http.enter(c, exchange, c);
    if (gated === undefined) {
      if (c.var.admission === undefined) c.set('admission', exchange.admission);
      return proceed(next);
    }
    if (gated.answered === undefined) return this.#conclude(gated, c, next);
    const concluded = gated.answered.then(() => this.#conclude(gated, c, next));
    if (this.#requests !== undefined) {
      this.#requests.queued(gated);
      waitUntil(c, concluded);
    }
    return concluded;
  }

  #conclude(gated: GatedRequest, c: Context, next: Next): Promise<Answered> {
    // The client has disconnected; 499 tells outer middleware that the request was not handled.
    if (gated.disconnected) return Promise.resolve(new Response(null, { status: 499 }));
    c.set('admission', gated.admission);
    if (this.#requests !== undefined) forwardWaitUntil(c, gated);
    if (gated.rejection !== undefined) return this.#reject(gated, c, () => proceed(next));
    const { exchange } = gated;
    if (onBun && exchange instanceof WebExchange) prepareHeaders(c);
    const fields = this.http.fields(gated);
    const work = gated.trackHandler(gated.run(() => proceed(next)));
    if (this.#requests !== undefined) {
      waitUntil(c, work);
      if (this.#isDistributed) this.#requests.admitted(gated);
    }
    if (fields.length === 0 && exchange instanceof NodeExchange) return work;
    return finish(work, c, exchange, fields);
  }

  #respond(gated: GatedRequest, c: Context): Response {
    const { status, headers, body } = this.http.responseTo(gated, c);
    const response = c.body(body, status as 503, headers);
    return withFields(response, this.http.fields(gated));
  }
}

/**
 * Runs the rest of the chain. Discards the context to which Hono resolves `next()`: if the handler has set no response,
 * the context would count as one, and replace Hono's own error about that.
 */
function proceed(next: Next): Promise<void> {
  return next().then(() => {});
}

/**
 * On Bun, the default `Content-Type` of a text is not among the headers of its response, so a response with another
 * body would lack it. Once a header has been changed, `c.text()` sets the type itself.
 */
function prepareHeaders(c: Context): void {
  c.header('headgate', undefined);
}

function forWorkers(options: AnyOptions) {
  checkWorkers(options);
  return { ...options, clock: options.clock ?? workersClock };
}

/** Adds the header fields and watches the body after the handler is done. */
async function finish(work: Promise<void>, c: Context, exchange: Exchange, fields: Fields) {
  try {
    await work;
    const response = withFields(c.res, fields);
    if (response !== c.res) c.res = response;
    watch(c, exchange);
  } catch (error) {
    if (exchange instanceof WebExchange) exchange.ended('unanswered');
    throw error;
  }
}

/** Outside Node, the end of the body is the end of the response. */
function watch(c: Context, exchange: Exchange): void {
  if (!(exchange instanceof WebExchange)) return;
  const watched = exchange.watch(c.res, c.req.method);
  if (watched === c.res) return;
  // The exchange must not refer to the body, which would then never be garbage-collected.
  for (let gated = exchange.latest; gated !== undefined; gated = gated.outer) gated.fixOutcome();
  c.res = watched;
  whenReplaced(c, (response) => {
    const { body } = watched;
    if (response.body !== body && body?.locked !== true) exchange.ended('complete');
  });
}

/** Calls back if outer middleware replaces the response or throws, since nothing reads its body then. */
function whenReplaced(c: Context, callback: (response: Response) => void): void {
  const own = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(c), 'res');
  if (own?.get === undefined || own.set === undefined) return;
  const { get, set } = own;
  Object.defineProperty(c, 'res', {
    configurable: true,
    get: () => get.call(c),
    set: (response) => {
      set.call(c, response);
      // `c.res = undefined` keeps the headers so far out of the response that is assigned next. Reading `c.res` in
      // between would create a response with those headers.
      if (response !== undefined) callback(response);
    },
  });
}

/**
 * On Node, the response reports its end, so its body is not wrapped. On other runtimes, the exchange is stored by the
 * context, since other middleware may replace the raw request.
 */
function exchangeOf(c: Context): Exchange {
  const { incoming, outgoing } = (c.env ?? {}) as {
    incoming?: Parameters<typeof NodeExchange.of>[0];
    outgoing?: Parameters<typeof NodeExchange.of>[1];
  };
  if (incoming !== undefined && outgoing !== undefined) return NodeExchange.of(incoming, outgoing);
  return WebExchange.of(c, c.req.raw);
}
