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
};

/** Milliseconds for which nobody reads on in an answer that is too long to be sent at once. */
const unreadTimeout = 10_000;

/** However many connect, and however slowly they read: memory is bounded. */
export function boundConnections(server: Server, most: number, log: Log): void {
  server.on('request', dropUnread);
  refuseMore(server, most, log);
}

/** Who asks for much and reads none of it would keep it in memory for ever. */
function dropUnread(_request: unknown, response: ServerResponse): void {
  response.once('prefinish', () => {
    const { socket } = response;
    // Node sets another time, or none, when all of it has been sent.
    if (socket !== null && socket.writableLength > 0) socket.setTimeout(unreadTimeout);
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
