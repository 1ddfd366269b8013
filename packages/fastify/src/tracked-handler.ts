import { isThenable, NodeExchange } from '@headgate/core/http';
import type { FastifyInstance, FastifyReply, RouteHandlerMethod } from 'fastify';

/** Handlers that are tracked already, by a plugin of the same instance or of an outer one. */
const trackedHandlers = new WeakSet<RouteHandlerMethod>();

/** Reports to the innermost limit when an async handler has settled. */
export function tracked(handler: RouteHandlerMethod): RouteHandlerMethod {
  if (trackedHandlers.has(handler)) return handler;
  const wrapped: RouteHandlerMethod = function (this: FastifyInstance, request, reply) {
    const exchange = NodeExchange.of(request.raw, reply.raw);
    const { latest } = exchange;
    const result: unknown = handler.call(this, request, reply);
    // A handler that returns the reply responds later, from a callback.
    if (latest === undefined || result === reply || !isThenable(result)) return result;
    const work = Promise.resolve(result);
    if (!exchange.isServed) latest.trackHandler(orReturned(work, reply));
    else latest.trackHandler(request.raw.httpVersionMajor === 1 ? work : orSent(work, reply));
    return work;
  };
  trackedHandlers.add(wrapped);
  return wrapped;
}

/** A promise that resolves to the reply settles when the response has closed, which some hosts do not report. */
function orReturned(work: Promise<unknown>, reply: FastifyReply): Promise<unknown> {
  const returned = new Promise<void>((resolve) => {
    const { then } = reply;
    // biome-ignore lint/suspicious/noThenProperty: the reply has one
    reply.then = (...args) => {
      resolve();
      return then.apply(reply, args);
    };
  });
  return Promise.race([work, returned]);
}

/**
 * A promise that resolves to the reply settles when the response has ended. If an HTTP/2 stream was reset before that,
 * Fastify never notices the end. In this case, a call of `send` shows that the handler is done.
 */
function orSent(work: Promise<unknown>, reply: FastifyReply): Promise<unknown> {
  const sent = new Promise<void>((resolve) => {
    reply.raw.once('close', () => {
      const { send } = reply;
      reply.send = (...args) => {
        resolve();
        return send.apply(reply, args);
      };
    });
  });
  return Promise.race([work, sent]);
}
