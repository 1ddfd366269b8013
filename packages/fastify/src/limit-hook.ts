import {
  appendFields,
  type GatedRequest,
  HttpGate,
  type HttpOptions,
  NodeExchange,
  reasonOf,
  rejectionHandler,
} from '@headgate/core/http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { framework } from './framework.ts';

type Next = (error?: Error) => void;

export type ConcurrencyLimitOptions = HttpOptions<
  FastifyRequest,
  [request: FastifyRequest, reply: FastifyReply, next: () => void],
  unknown,
  FastifyReply
>;

/** Runs Fastify requests through the gate, as a callback: it adds no promise to a request that is not queued. */
export class LimitHook {
  readonly http: HttpGate<FastifyRequest>;
  readonly #reject: (
    ...args: [GatedRequest, FastifyRequest, FastifyReply, Next]
  ) => Promise<unknown>;

  constructor(options: ConcurrencyLimitOptions) {
    this.http = new HttpGate<FastifyRequest>(options, framework);
    this.#reject = rejectionHandler(options.onReject, (gated, request, reply) =>
      this.#respond(gated, request, reply),
    );
  }

  handle(request: FastifyRequest, reply: FastifyReply, next: Next): void {
    const exchange = NodeExchange.of(request.raw, reply.raw);
    let gated: GatedRequest | undefined;
    try {
      gated = this.http.enter(request, exchange, reply);
    } catch (error) {
      return next(error as Error);
    }
    if (gated === undefined) {
      request.admission ??= exchange.admission;
      next();
    } else if (gated.answered === undefined) {
      this.#conclude(gated, request, reply, next);
    } else {
      const answered = gated;
      gated.answered
        .then(() => this.#conclude(answered, request, reply, next))
        .catch((error) => next(reasonOf(error) as Error));
    }
  }

  #conclude(gated: GatedRequest, request: FastifyRequest, reply: FastifyReply, next: Next): void {
    if (gated.disconnected) return;
    // Also for a rejected request, whose access log needs it.
    request.admission = gated.admission;
    if (gated.rejection === undefined) {
      this.#addFields(gated, reply);
      return next();
    }
    this.#reject(gated, request, reply, () => next()).catch(next);
  }

  #respond(gated: GatedRequest, request: FastifyRequest, reply: FastifyReply): void {
    const { status, headers, body } = this.http.responseTo(gated, request);
    this.#addFields(gated, reply);
    void reply.code(status).headers(headers).send(body);
  }

  #addFields(gated: GatedRequest, reply: FastifyReply): void {
    appendFields(reply, this.http.fields(gated));
  }
}
