import type { Server, ServerResponse } from 'node:http';
import type { Log } from '../log.ts';

/** Milliseconds that a client may take. */
export interface Timeouts {
  /** Maximum time in which a client may send the header of a request. */
  readonly headersTimeout: number;
  /**
   * Maximum time in which a client may send a whole request. The time for which its answer is blocked does not count.
   */
  readonly requestTimeout: number;
  /** The interval at which Node checks for requests that exceed these timeouts. */
  readonly connectionsCheckingInterval: number;
  /** Maximum idle time between two requests. Longer than proxies keep their connections. */
  readonly keepAliveTimeout: number;
  /** Maximum time for the TLS handshake, since Node does not check connections before their first byte of HTTP. */
  readonly handshakeTimeout: number;
  /**
   * Maximum time in which a client must continue to read an answer that is too long to be sent at once. Node checks
   * twice before it closes the connection.
   */
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

/** Bounds the memory that connections use, however many connections there are and however slowly clients read. */
export function boundConnections(
  server: Server,
  maxConnections: number,
  { unreadTimeout }: Timeouts,
  log: Log,
): void {
  server.on('request', (_, response) => dropUnread(response, unreadTimeout));
  limitConnections(server, maxConnections, log);
}

/** Closes the connection of a client that does not read. Otherwise its answers would stay in memory forever. */
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
  // Logged only once in a while, since clients decide how many connections are dropped.
  server.on('drop', () => {
    const now = performance.now();
    if (now - loggedAt < MIN_LOG_INTERVAL) return;
    loggedAt = now;
    log.warn(`A connection was closed: there are ${maxConnections} already.`);
  });
}
