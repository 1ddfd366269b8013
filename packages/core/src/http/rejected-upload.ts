import { type Clock, startTimer } from '../clock.ts';
import type { NodeRequest, NodeResponse, NodeSocket } from './node-message.ts';

/** The longest body that is drained for the sake of its connection. */
const MAX_DRAINED_BYTES = 128 * 1024;
/** How much is still read of a longer one. */
const MAX_READ_BYTES = 64 * 1024;
/** How long a connection that is to be closed stays open, so that the client can read the response. */
const LINGER_MS = 1000;

/**
 * Handles the unread body of a rejected HTTP/1.1 request. A short body is drained, and the connection serves the next
 * request. Otherwise the response says `Connection: close`, and the connection is closed a moment after it: closing it
 * at once would reset it, and the client might never read the response (RFC 9112, 9.6).
 */
export function rejectUpload(request: NodeRequest, response: NodeResponse, clock: Clock): void {
  // HTTP/2 has a flow control of its own.
  if (!hasBody(request) || response.stream !== undefined) return;
  const { writeHead } = response;
  // Not before: the app's `onReject` may read the body.
  response.writeHead = (...args: unknown[]) => {
    if (isUnread(request) && !isShort(request)) response.shouldKeepAlive = false;
    return writeHead.apply(response, args);
  };
  // Before Node's own listener, which closes the connection at once, or drains the whole body.
  response.prependListener('finish', () => {
    const { socket } = request;
    if (socket !== null && isUnread(request)) drain(request, socket, clock);
  });
}

function drain(request: NodeRequest, socket: NodeSocket, clock: Clock): void {
  let left = isShort(request) ? Infinity : MAX_READ_BYTES;
  let isFinishing = true;
  let isClosing = false;
  const { destroySoon } = socket;
  // Node calls it now where the response says `Connection: close`. A later call comes from a server that loses patience
  // with the body of a response that says the contrary.
  socket.destroySoon = () => {
    if (!isFinishing || isClosing) return;
    isClosing = true;
    socket.end();
    startTimer(clock, LINGER_MS, () => socket.destroy(), true);
  };
  queueMicrotask(() => {
    isFinishing = false;
  });
  request.on('data', ({ length }) => {
    left -= length;
    if (left <= 0) request.pause();
  });
  request.on('close', () => {
    // Uncovers the method of the socket's class.
    delete socket.destroySoon;
    if (isClosing) destroySoon?.call(socket);
  });
  // Or Node would drain all of it, since nothing seems to read it.
  request.resume();
}

function isUnread({ readableDidRead, complete }: NodeRequest): boolean {
  return !readableDidRead && !complete;
}

/** A client that was not told to continue may send its next request in place of the body. */
function isShort({ headers }: NodeRequest): boolean {
  return headers.expect === undefined && Number(headers['content-length']) <= MAX_DRAINED_BYTES;
}

function hasBody({ headers }: NodeRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > 0;
}
