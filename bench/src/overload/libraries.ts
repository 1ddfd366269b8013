import type { RequestHandler } from 'express';

export async function expressQueue(
  activeLimit: number,
  queuedLimit: number,
): Promise<RequestHandler> {
  const { default: queue } = await import('express-queue');
  return queue({ activeLimit, queuedLimit });
}

/** The defaults with the given thresholds and a `Retry-After`. */
export async function overloadProtection(
  thresholds: { maxEventLoopDelay?: number; sampleInterval?: number } = {},
): Promise<RequestHandler> {
  const { default: protect } = await import('overload-protection');
  return protect('express', { production: true, clientRetrySecs: 1, ...thresholds });
}

/** The middleware from its README. Importing the package starts its timer. */
export async function toobusy(): Promise<RequestHandler> {
  const { default: isTooBusy } = await import('toobusy-js');
  return (_req, res, next) => {
    if (isTooBusy()) res.status(503).send("I'm busy right now, sorry.");
    else next();
  };
}
