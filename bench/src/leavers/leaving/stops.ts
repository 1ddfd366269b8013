import { setTimeout as delay } from 'node:timers/promises';
import type { Response } from 'express';
import { HANDLER_MS, inExpress, inNode, type Kinds } from './kind.ts';

/** Responds later, unless the signal aborts before. */
async function respondUnlessAborted(res: Response, signal: AbortSignal): Promise<void> {
  try {
    await delay(HANDLER_MS, undefined, { signal });
    res.end('done');
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** Handlers that stop when their clients leave. */
export const stops: Kinds = {
  'Express, `AbortController`': inExpress((_req, res) => {
    const controller = new AbortController();
    res.on('close', () => controller.abort());
    return respondUnlessAborted(res, controller.signal);
  }),
  'Express, `permit.signal`': inExpress((_req, res) => {
    const { permit } = res.locals.admission ?? {};
    if (permit === undefined) throw new Error('the request has no permit');
    return respondUnlessAborted(res, permit.signal);
  }),
  'Express, `clearTimeout` on `close` of the request': inExpress((req, res) => {
    const timer = setTimeout(() => res.end('done'), HANDLER_MS);
    req.on('close', () => clearTimeout(timer));
  }),
  '`node:http`, `clearTimeout` on `close` of the response': inNode((_req, res) => {
    const timer = setTimeout(() => res.end('done'), HANDLER_MS);
    res.on('close', () => clearTimeout(timer));
  }),
};
