import { HeadgateError } from '@headgate/core';
import {
  appendFields,
  type GatedRequest,
  HttpGate,
  type HttpOptions,
  NodeExchange,
  reasonOf,
  rejectionHandler,
} from '@headgate/core/http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { framework } from './framework.ts';

type Next = (error?: Error) => void;

/** Options of `concurrencyLimit`, with functions of a Fastify request and its reply. */
export type ConcurrencyLimitOptions = HttpOptions<
  FastifyRequest,
  [request: FastifyRequest, reply: FastifyReply, next: () => void],
  unknown,
  FastifyReply
>;

/** Runs Fastify requests through the gate, as a callback: it adds no promise to a request that is not queued. */
export class LimitHook {
  readonly http: HttpGate<FastifyRequest>;
  /** The instances that use the limit and have not been closed. */
  readonly #instances = new Set<FastifyInstance>();
  readonly #reject: (
    ...args: [GatedRequest, FastifyRequest, FastifyReply, Next]
  ) => Promise<unknown>;

  constructor(options: ConcurrencyLimitOptions) {
    this.http = new HttpGate<FastifyRequest>(options, framework);
    this.#reject = rejectionHandler(options.onReject, (gated, request, reply) =>
      this.#respond(gated, request, reply),
    );
  }

  /**
   * Closes the limit with the last instance that uses it, when Fastify has served queued and running requests.
   *
   * @throws HeadgateError if the limit has been closed.
   */
  closeWith(instance: FastifyInstance): void {
    const { gate } = this.http;
    if (gate.closed) throw closed(gate.name);
    if (this.#instances.has(instance)) return;
    this.#instances.add(instance);
    instance.addHook('onClose', (_, done) => {
      this.#instances.delete(instance);
      if (this.#instances.size === 0) void gate.close();
      done();
    });
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
    // A rejected request has an admission, too, since its access log needs it.
    request.admission = gated.admission;
    if (gated.rejection === undefined) {
      this.#addFields(gated, reply);
      return gated.run(next);
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

function closed(name: string): HeadgateError {
  const message = `the limit "${name}" has been closed, as the last application that used it: create one for each application`;
  return new HeadgateError('ERR_HEADGATE_MIDDLEWARE', message);
}
