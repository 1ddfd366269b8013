import type { PageResponse, Sink } from './page-request.ts';

/**
 * The response for a framework of web standards.
 *
 * @param disconnect Closes the connection at once, where the runtime can.
 */
export function webResponse(
  { status, headers, body }: PageResponse,
  method: string,
  disconnect: (() => void) | undefined,
): Response {
  if (method === 'HEAD' || status === 204) return new Response(null, { status, headers });
  const content = typeof body === 'string' ? body : streamOf(body, disconnect);
  return new Response(content, { status, headers });
}

function streamOf(
  open: (sink: Sink) => () => void,
  disconnect: (() => void) | undefined,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let leave = () => {};
  const start = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    leave = open({
      write: (text) => controller.enqueue(encoder.encode(text)),
      get pending() {
        return -(controller.desiredSize ?? 0);
      },
      end: () => controller.close(),
      destroy:
        disconnect ?? (() => controller.error(new Error('the page does not read its stream'))),
    });
  };
  const strategy = new ByteLengthQueuingStrategy({ highWaterMark: 0 });
  return new ReadableStream({ start, cancel: () => leave() }, strategy);
}
