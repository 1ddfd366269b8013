import type { NodeRequest } from './node-message.ts';
import { hasBody } from './rejected-upload.ts';

/** Number of bytes of a queued request's body that are read. */
const MAX_BYTES = 128 * 1024;
/** Maximum number of queued requests of the process whose body is read: 32 MB. */
const MAX_REQUESTS = 256;

let requests = 0;

/**
 * Reads more of the body of a queued request than its stream would buffer. When the buffer is full, Node stops reading
 * the connection, and does not notice that the client has left.
 */
export function readAhead(request: NodeRequest, answered: Promise<void>): void {
  const { _readableState: state, socket } = request;
  // Over HTTP/2, Node always reads the connection.
  if (state === undefined || request.httpVersionMajor > 1 || !hasBody(request)) return;
  const { highWaterMark } = state;
  if (requests === MAX_REQUESTS || highWaterMark >= MAX_BYTES) return;
  requests++;
  state.highWaterMark = MAX_BYTES;
  if (request.readableLength >= highWaterMark) socket?.resume?.();
  void answered.then(() => {
    requests--;
    state.highWaterMark = highWaterMark;
  });
}
