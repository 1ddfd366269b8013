import type { IncomingMessage } from 'node:http';
import {
  type Admission,
  type Framework,
  type GatedRequest,
  HttpGate,
  type HttpOptions,
  isThenable,
  misplaced,
  NodeExchange,
  rejectionHandler,
  unlimited,
} from '@headgate/core/http';
import { framework } from './framework.ts';
import type { Message, ResponseTo } from './message.ts';

export type Handler<Req extends Message = IncomingMessage> = (
  req: Req,
  res: ResponseTo<Req>,
) => unknown;

/** Options of `concurrencyLimit`, with functions of a request and a response of `node:http` or `node:http2`. */
export type ConcurrencyLimitOptions<Req extends Message = IncomingMessage> = HttpOptions<
  Req,
  [req: Req, res: ResponseTo<Req>, next: () => unknown],
  unknown,
  ResponseTo<Req>
>;

const gatedKey = Symbol('headgate.gated');

/** A response that links to its request at the innermost limit. */
type Limited = { [gatedKey]?: GatedRequest };

/** The admission of the request to which this is the response, also if `onReject` lets a handler serve a rejected one. */
export function admissionOf(res: ResponseTo<Message>): Admission {
  return (res as Limited)[gatedKey]?.admission ?? unlimited;
}

/** Runs the requests of a server through the gate: calls the handler, or responds with the rejection. */
export class LimitedListener<Req extends Message> {
  readonly http: HttpGate<Req>;
  readonly #reject: (...args: [GatedRequest, Req, ResponseTo<Req>, () => unknown]) => unknown;

  constructor(options: ConcurrencyLimitOptions<Req>) {
    this.http = new HttpGate<Req>(options, framework as Framework<Req>);
    this.#reject = rejectionHandler(options.onReject, (gated, req, res) =>
      this.#respond(gated, req, res),
    );
  }

  /** @param beforeRejection Called before a request that is not queued is rejected. Returns whether it has responded. */
  around(
    handler: Handler<Req>,
    beforeRejection?: () => boolean,
  ): (req: Req, res: ResponseTo<Req>) => unknown {
    if (typeof handler !== 'function') throw misplaced('@headgate/node', handler);
    // Nothing else is passed on: Express, connect and others take a third argument for `next`.
    return (req, res) => {
      const gated = this.http.enter(req, NodeExchange.of(req, res), res);
      if (gated === undefined) return handler(req, res);
      (res as Limited)[gatedKey] = gated;
      if (gated.answered === undefined) {
        if (gated.rejection !== undefined && beforeRejection?.()) return;
        return this.#conclude(gated, req, res, handler);
      }
      return gated.answered.then(() => this.#conclude(gated, req, res, handler));
    };
  }

  #conclude(gated: GatedRequest, req: Req, res: ResponseTo<Req>, handler: Handler<Req>): unknown {
    if (gated.disconnected) return;
    const next = () => handler(req, res);
    if (gated.rejection !== undefined) return this.#reject(gated, req, res, next);
    this.#addFields(gated, res);
    return settled(gated, res, next);
  }

  #respond(gated: GatedRequest, req: Req, res: ResponseTo<Req>): void {
    const { status, headers, body } = this.http.responseTo(gated, req);
    this.#addFields(gated, res);
    res.writeHead(status, headers);
    res.end(body);
  }

  #addFields(gated: GatedRequest, res: ResponseTo<Req>): void {
    for (const [name, value] of this.http.fields(gated)) res.appendHeader(name, value);
  }
}

/** Calls the handler, and holds the permit until it has settled. */
function settled(gated: GatedRequest, res: ResponseTo<Message>, handler: () => unknown): unknown {
  const failed = () => releaseUnanswered(gated, res);
  try {
    const result = gated.run(handler);
    // Without a promise, the adapter cannot know when the handler is done.
    if (!isThenable(result)) return result;
    // Converted once, since a thenable may start its work on every `then`, as query builders do.
    const work = gated.trackHandler(Promise.resolve(result));
    // Returns the new promise, not `work`: this handler handles the rejection of `work`, so Node would not report it.
    return work.then(undefined, (error) => {
      failed();
      throw error;
    });
  } catch (error) {
    failed();
    throw error;
  }
}

/**
 * A server responds to an error only if the application does (`captureRejections`, or its own error handling). Otherwise
 * the response stays open until the client gives up, and so would the permit.
 */
function releaseUnanswered(request: GatedRequest, res: ResponseTo<Message>): void {
  // This must be checked later, since the error has not reached the application yet.
  setImmediate(() => {
    if (res.headersSent || res.writableEnded) return;
    for (let gated: GatedRequest['outer'] = request; gated !== undefined; gated = gated.outer)
      gated.permit?.release('ignored');
  });
}
