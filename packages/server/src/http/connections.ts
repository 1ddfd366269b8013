import type { Server, ServerResponse } from 'node:http';
import type { Log } from '../log.ts';

/** Milliseconds that a client may take. */
export interface Timeouts {
  /** To send the headers of a request. */
  readonly headersTimeout: number;
  /** To send a whole request; however long its answer is blocked. */
  readonly requestTimeout: number;
  /** How often Node looks for requests that take longer. */
  readonly connectionsCheckingInterval: number;
  /** Between two requests: longer than proxies keep their connections. */
  readonly keepAliveTimeout: number;
  /** With TLS; Node does not check connections that have not come to HTTP. */
  readonly handshakeTimeout: number;
  /** To read on in an answer that is too long to be sent at once; Node looks twice. */
  readonly unreadTimeout: number;
}

export const timeouts: Timeouts = {
  headersTimeout: 10_000,
  requestTimeout: 20_000,
  connectionsCheckingInterval: 5_000,
  keepAliveTimeout: 75_000,
  handshakeTimeout: 10_000,
  unreadTimeout: 15_000,
};

export const maxHeaderSize = 16_384;

/** However many connect, and however slowly they read: memory is bounded. */
export function boundConnections(
  server: Server,
  most: number,
  { unreadTimeout }: Timeouts,
  log: Log,
): void {
  server.on('request', (_, response) => dropUnread(response, unreadTimeout));
  refuseMore(server, most, log);
}

/** A client that requests much and reads none of it would keep it in memory for ever. */
function dropUnread(response: ServerResponse, unreadTimeout: number): void {
  response.once('prefinish', () => {
    const { socket } = response;
    if (socket === null || socket.writableLength === 0) return;
    socket.setTimeout(unreadTimeout);
    // Before Node says for how long it may be idle then.
    response.prependOnceListener('finish', () => socket.setTimeout(0));
  });
}

function refuseMore(server: Server, most: number, log: Log): void {
  let isFull = false;
  server.maxConnections = most;
  server.on('connection', () => {
    isFull = false;
  });
  // A flood of connections is none of lines in the log.
  server.on('drop', () => {
    if (!isFull) log.warn(`A connection was closed: there are ${most} already.`);
    isFull = true;
  });
}
