import { isThenable, NodeExchange } from '@headgate/core/http';
import type { FastifyInstance, FastifyReply, RouteHandlerMethod } from 'fastify';

/** Handlers that are tracked already, by a plugin of the same instance or of an outer one. */
const trackedHandlers = new WeakSet<RouteHandlerMethod>();

/** The prototypes of replies, one for each instance, whose `then` is observed. */
const observedReplies = new WeakSet<object>();

/** Reports to the innermost limit when an async handler has settled. */
export function tracked(handler: RouteHandlerMethod): RouteHandlerMethod {
  if (trackedHandlers.has(handler)) return handler;
  const wrapped: RouteHandlerMethod = function (this: FastifyInstance, request, reply) {
    const { latest } = NodeExchange.of(request.raw, reply.raw);
    if (latest === undefined) return handler.call(this, request, reply);
    observe(Object.getPrototypeOf(reply));
    const result: unknown = handler.call(this, request, reply);
    if (result === reply || !isThenable(result)) return result;
    return latest.trackHandler(Promise.resolve(result));
  };
  trackedHandlers.add(wrapped);
  return wrapped;
}

/**
 * A handler that returns its reply responds later, from a callback. Fastify then calls the reply's `then`, which listens
 * for the end of the response.
 */
function observe(replies: FastifyReply): void {
  if (observedReplies.has(replies)) return;
  observedReplies.add(replies);
  const { then } = replies;
  // biome-ignore lint/suspicious/noThenProperty: the reply has one
  replies.then = function (this: FastifyReply, ...args) {
    const exchange = NodeExchange.of(this.request.raw, this.raw);
    if (!this.sent) exchange.latest?.respondsLater();
    return exchange.listenAsFramework(() => then.apply(this, args));
  };
}
