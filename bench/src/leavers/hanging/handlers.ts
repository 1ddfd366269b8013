import { type Handler, respond, respondUnlessClosed } from '../handler.ts';
import type { Work } from './work.ts';

const withCallback =
  (conclude: Handler) =>
  (work: Work): Handler =>
  (req, res) => {
    work.for(req.url).then(() => conclude(req, res));
  };

const withPromise =
  (conclude: Handler) =>
  (work: Work): Handler =>
  async (req, res) => {
    await work.for(req.url);
    conclude(req, res);
  };

export const callback = withCallback(respond);
export const silentCallback = withCallback(respondUnlessClosed);
export const promise = withPromise(respond);
export const silentPromise = withPromise(respondUnlessClosed);
