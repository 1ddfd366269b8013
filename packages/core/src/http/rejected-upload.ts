import { type Clock, startTimer } from '../clock.ts';
import type { NodeRequest, NodeResponse, NodeSocket } from './node-message.ts';

/** Maximum length of a body that is drained so that its connection can be reused. */
const MAX_DRAINED_BYTES = 128 * 1024;
/** Maximum number of bytes that are read of a body that is longer, or of unknown length. */
const MAX_READ_BYTES = 64 * 1024;
/** How long a closing connection stays open, so that the client can read the response. */
const LINGER_MS = 1000;

/**
 * Handles the unread body of a rejected HTTP/1.1 request. A short body is drained, and the connection serves the next
 * request. Otherwise the response says `Connection: close`, and the connection is closed a moment later: closing it
 * immediately would reset it, and the client might never read the response (RFC 9112, 9.6).
 */
export function rejectUpload(request: NodeRequest, response: NodeResponse, clock: Clock): void {
  // HTTP/2 has its own flow control.
  if (!hasBody(request) || response.stream !== undefined) return;
  const { writeHead } = response;
  // Decided when the head of the response is written, since the app's `onReject` may read the body before.
  response.writeHead = (...args: unknown[]) => {
    if (isUnread(request) && !isShort(request)) response.shouldKeepAlive = false;
    return writeHead.apply(response, args);
  };
  // Runs before Node's own listener, which would either close the connection immediately or drain the whole body.
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
  // If the response says `Connection: close`, Node calls this method synchronously, on `finish`. A later call means
  // that a server has timed out waiting for the body of a response without that header.
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
    // Restores the method that the socket inherits.
    delete socket.destroySoon;
    if (isClosing) destroySoon?.call(socket);
  });
  // Otherwise Node would drain the whole body, since nothing appears to read it.
  request.resume();
}

function isUnread({ readableDidRead, complete }: NodeRequest): boolean {
  return !readableDidRead && !complete;
}

/**
 * Whether the body is short enough to drain. Never with `Expect`: without a `100 Continue`, the client may omit the
 * body and send its next request instead.
 */
function isShort({ headers }: NodeRequest): boolean {
  return headers.expect === undefined && Number(headers['content-length']) <= MAX_DRAINED_BYTES;
}

export function hasBody({ headers }: NodeRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > 0;
}
