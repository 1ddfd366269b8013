import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { isAmbiguous, type PageRequest, type PageResponse, type Sink } from './page-request.ts';

/**
 * Reads a request of a Node server, except its path.
 *
 * @param parsed The body, if other middleware has read it.
 */
export function nodeRequest(
  req: IncomingMessage,
  parsed: unknown,
): Omit<PageRequest, 'file' | 'withoutSlash'> {
  const [, search = ''] = (req.url ?? '').split('?', 2);
  return {
    method: req.method ?? 'GET',
    query: (name) => new URLSearchParams(search).get(name) ?? undefined,
    header: (name) => req.headers[name]?.toString(),
    isAmbiguous: isAmbiguous(req),
    body: async () => (req.readableEnded ? parsed : text(req)),
  };
}

/** Sends a response through a Node server. */
export function sendNode(res: ServerResponse, { status, headers, body }: PageResponse): void {
  // Replaces fields that middleware before this one may have set, such as Helmet's policy.
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
  res.statusCode = status;
  if (typeof body === 'string') {
    res.end(body);
  } else if (res.req.method === 'HEAD') {
    res.end();
  } else {
    res.flushHeaders();
    const leave = body(sinkOf(res));
    if (isClosed(res)) leave();
    else res.once('close', leave);
    // A write fails if the client has just closed the connection.
    res.on('error', () => {});
  }
}

/** Whether `close` has been emitted. A response over HTTP/2 does not report this itself. */
function isClosed(res: ServerResponse & { readonly stream?: { readonly destroyed: boolean } }) {
  return res.closed || res.stream?.destroyed === true;
}

function sinkOf(res: ServerResponse): Sink {
  return {
    write: (text) => void res.write(text),
    get pending() {
      return res.writableLength;
    },
    end: () => void res.end(),
    destroy: () => void res.destroy(),
  };
}
