import type { Server, ServerResponse } from 'node:http';
import type { Log } from '../log.ts';

/** What Node checks of each request. */
export const requestBounds = {
  maxHeaderSize: 16_384,
  // They say how long a client may take to send its request; however long its answer is blocked.
  headersTimeout: 10_000,
  requestTimeout: 20_000,
  connectionsCheckingInterval: 5_000,
  // Longer than proxies keep theirs.
  keepAliveTimeout: 75_000,
  // With TLS; what has not said a word of HTTP is not among the connections that Node checks.
  handshakeTimeout: 10_000,
};

/** Milliseconds for which nobody reads on in an answer that is too long to be sent at once; Node looks twice. */
const unreadTimeout = 15_000;

/** However many connect, and however slowly they read: memory is bounded. */
export function boundConnections(server: Server, most: number, log: Log): void {
  server.on('request', dropUnread);
  refuseMore(server, most, log);
}

/** Who asks for much and reads none of it would keep it in memory for ever. */
function dropUnread(_request: unknown, response: ServerResponse): void {
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
