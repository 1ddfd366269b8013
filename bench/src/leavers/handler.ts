import type { IncomingMessage, ServerResponse } from 'node:http';

/** A listener of `node:http`; Express accepts it as well. */
export type Handler = (req: IncomingMessage, res: ServerResponse) => void | Promise<void>;

export const respond: Handler = (_req, res) => void res.end('done');

/** Does nothing after a disconnect. Does not look at `destroyed`, which would show the limit that the handler is done. */
export const respondUnlessClosed: Handler = ({ socket }, res) => {
  if (socket.readyState !== 'closed') res.end('done');
};
