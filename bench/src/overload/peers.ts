import type { RequestHandler } from 'express';

export async function expressQueue(
  activeLimit: number,
  queuedLimit: number,
): Promise<RequestHandler> {
  const { default: queue } = await import('express-queue');
  return queue({ activeLimit, queuedLimit });
}

/** Its defaults except for these options, and a `Retry-After`. */
export async function overloadProtection(
  thresholds: { maxEventLoopDelay?: number; sampleInterval?: number } = {},
): Promise<RequestHandler> {
  const { default: protect } = await import('overload-protection');
  return protect('express', { production: true, clientRetrySecs: 1, ...thresholds });
}

/** The middleware of its README; the import starts its timer. */
export async function toobusy(): Promise<RequestHandler> {
  const { default: isTooBusy } = await import('toobusy-js');
  return (_req, res, next) => {
    if (isTooBusy()) res.status(503).send("I'm busy right now, sorry.");
    else next();
  };
}
