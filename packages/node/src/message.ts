import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';

/** A request of a `node:http` or `node:http2` server. */
export type Message = IncomingMessage | Http2ServerRequest;

/** The response to a request of this type. */
export type ResponseTo<Req extends Message> = Req extends Http2ServerRequest
  ? Http2ServerResponse
  : ServerResponse;

/** What a server passes for a request of the application's own type. */
export type Served<Req extends Message> = Req extends Http2ServerRequest
  ? Http2ServerRequest
  : IncomingMessage;
