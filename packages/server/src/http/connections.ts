import type { Server, ServerResponse } from 'node:http';
import type { Log } from '../log.ts';

/** Milliseconds that a client may take. */
export interface Timeouts {
  /** To send the headers of a request. */
  readonly headersTimeout: number;
  /** To send a whole request. The time for which its answer is blocked does not count. */
  readonly requestTimeout: number;
  /** The interval at which Node checks for requests that exceed these timeouts. */
  readonly connectionsCheckingInterval: number;
  /** Idle time between two requests: longer than proxies keep their connections. */
  readonly keepAliveTimeout: number;
  /** For the TLS handshake: Node does not check connections before their first byte of HTTP. */
  readonly handshakeTimeout: number;
  /** To continue reading an answer too long to be sent at once. Node checks twice before it closes the connection. */
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

export const MAX_HEADER_SIZE = 16_384;

/** Bounds the memory that connections use, however many there are and however slowly clients read. */
export function boundConnections(
  server: Server,
  maxConnections: number,
  { unreadTimeout }: Timeouts,
  log: Log,
): void {
  server.on('request', (_, response) => dropUnread(response, unreadTimeout));
  limitConnections(server, maxConnections, log);
}

/** A client that requests much and reads nothing would otherwise keep its answers in memory forever. */
function dropUnread(response: ServerResponse, unreadTimeout: number): void {
  response.once('prefinish', () => {
    const { socket } = response;
    if (socket === null || socket.writableLength === 0) return;
    socket.setTimeout(unreadTimeout);
    // Must run before Node's own listener, which sets the keep-alive timeout.
    response.prependOnceListener('finish', () => socket.setTimeout(0));
  });
}

const MIN_LOG_INTERVAL = 60_000;

function limitConnections(server: Server, maxConnections: number, log: Log): void {
  let loggedAt = -Infinity;
  server.maxConnections = maxConnections;
  // Clients decide how many connections are dropped.
  server.on('drop', () => {
    const now = performance.now();
    if (now - loggedAt < MIN_LOG_INTERVAL) return;
    loggedAt = now;
    log.warn(`A connection was closed: there are ${maxConnections} already.`);
  });
}
