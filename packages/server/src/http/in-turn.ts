import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests that one connection may send before the first of them is answered. */
const maxAhead = 1_000;
/** The same over all connections. */
const maxAheadInAll = 10_000;

/**
 * Handles the requests of one connection one after the other: the next one when the answer before it was handed to the
 * system. Node parses all that one read brings, and calls back at once; a client that sends thousands of requests and
 * reads no answer would have all answers kept in memory. A connection that is too far ahead is closed.
 */
export function inTurn(handle: RequestListener): RequestListener {
  const ahead = new Ahead();
  return (request, response) => {
    if (response.socket !== null) return handle(request, response);
    // Node gives it the socket when the answer before it has been sent.
    if (ahead.add(request, response)) response.once('socket', () => handle(request, response));
    else request.socket.destroy();
  };
}

/** Counts the requests that were sent before the answer to another one. */
class Ahead {
  readonly #bySocket = new WeakMap<Socket, number>();
  #all = 0;

  /** False where there are too many already. */
  add({ socket }: IncomingMessage, response: ServerResponse): boolean {
    const count = this.#bySocket.get(socket);
    const isTooFar = (count ?? 0) >= maxAhead || this.#all >= maxAheadInAll;
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
