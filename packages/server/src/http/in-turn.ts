import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Maximum number of requests that one connection may send before the answer to its first one. */
const MAX_AHEAD = 1_000;
/** The same maximum for all connections together. */
const MAX_AHEAD_IN_ALL = 10_000;

/**
 * Handles the requests of a connection one after the other: each starts once the previous answer has been passed to the
 * operating system. Node itself parses everything that one read brings, and calls back for all of it. If a client
 * pipelined thousands of requests and read no answer, all answers would be kept in memory. A connection with too many
 * requests ahead is closed.
 */
export function inTurn(handle: RequestListener): RequestListener {
  const ahead = new Ahead();
  return (request, response) => {
    if (response.socket !== null) return handle(request, response);
    // Node assigns the socket once the previous answer has been sent.
    if (ahead.add(request, response)) response.once('socket', () => handle(request, response));
    else request.socket.destroy();
  };
}

/** Counts requests that are ahead: sent before an earlier request on the same connection was answered. */
class Ahead {
  readonly #bySocket = new WeakMap<Socket, number>();
  #all = 0;

  /** Returns false if there are too many already. */
  add({ socket }: IncomingMessage, response: ServerResponse): boolean {
    const count = this.#bySocket.get(socket);
    const isTooFar = (count ?? 0) >= MAX_AHEAD || this.#all >= MAX_AHEAD_IN_ALL;
    if (socket.destroyed || isTooFar) return false;
    if (count === undefined)
      socket.once('close', () => this.#take(socket, this.#bySocket.get(socket)));
    this.#change(socket, 1);
    response.once('socket', () => this.#change(socket, -1));
    return true;
  }

  #change(socket: Socket, by: number): void {
    this.#bySocket.set(socket, (this.#bySocket.get(socket) ?? 0) + by);
    this.#all += by;
  }

  #take(socket: Socket, count = 0): void {
    this.#change(socket, -count);
  }
}
