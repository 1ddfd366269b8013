import { type Handler, respond, respondUnlessClosed } from '../handler.ts';
import { HANDLER_MS, inExpress, inNode, type Kinds } from './kind.ts';

const later =
  (conclude: Handler): Handler =>
  (req, res) => {
    setTimeout(() => conclude(req, res), HANDLER_MS);
  };

const respondUnlessDestroyed: Handler = (_req, res) => {
  if (!res.destroyed) res.end('done');
};

/** Handlers that do not stop when their clients leave. */
export const callbacks: Kinds = {
  'Express, responds in any case': inExpress(later(respond)),
  'Express, responds unless `res.destroyed`': inExpress(later(respondUnlessDestroyed)),
  'Express, silent': inExpress(later(respondUnlessClosed)),
  '`node:http`, silent': inNode(later(respondUnlessClosed)),
};
