import {
  type Admission,
  type GatedRequest,
  HttpGate,
  type HttpOptions,
  misplaced,
  NodeExchange,
  rejectionHandler,
} from '@headgate/core/http';
import type { Context, Next } from 'koa';
import { framework } from './framework.ts';

/** The handler reads its admission from `ctx.state.admission`. */
export interface AdmissionState {
  /** The permit, or why there is none. */
  admission: Admission;
}

/** Options of `concurrencyLimit`, with functions of a Koa context. */
export type ConcurrencyLimitOptions = HttpOptions<
  Context,
  [ctx: Context, next: Next],
  unknown,
  Context
>;

/**
 * Runs Koa requests through the gate. A request that is not queued passes no async function, since each would slow down
 * the middleware around this one.
 */
export class LimitMiddleware {
  readonly http: HttpGate<Context>;
  readonly #reject: (gated: GatedRequest, ctx: Context, next: Next) => Promise<unknown>;

  constructor(options: ConcurrencyLimitOptions) {
    this.http = new HttpGate<Context>(options, framework);
    this.#reject = rejectionHandler(options.onReject, (gated, ctx) => this.#respond(gated, ctx));
  }

  handle(ctx: Context, next: Next): unknown {
    if (typeof next !== 'function' || ctx.state === undefined) {
      throw misplaced('@headgate/koa', ctx);
    }
    const exchange = NodeExchange.of(ctx.req, ctx.res);
    const gated = this.http.enter(ctx, exchange, ctx);
    if (gated === undefined) {
      ctx.state.admission ??= exchange.admission;
      return next();
    }
    if (gated.answered === undefined) return this.#conclude(gated, ctx, next);
    return gated.answered.then(() => this.#conclude(gated, ctx, next));
  }

  #conclude(gated: GatedRequest, ctx: Context, next: Next): unknown {
    // The client has disconnected. Status 499 shows outer middleware that the request was not handled.
    if (gated.disconnected) {
      ctx.status = 499;
      return;
    }
    ctx.state.admission = gated.admission;
    if (gated.rejection !== undefined) return this.#reject(gated, ctx, next);
    this.#addFields(gated, ctx);
    return gated.trackHandler(gated.run(next));
  }

  #respond(gated: GatedRequest, ctx: Context): void {
    const { status, headers, body } = this.http.responseTo(gated, ctx);
    ctx.status = status;
    this.#addFields(gated, ctx);
    ctx.set(headers);
    ctx.body = body;
  }

  #addFields(gated: GatedRequest, ctx: Context): void {
    for (const [name, value] of this.http.fields(gated)) ctx.append(name, value);
  }
}
