import { concurrencyLimit } from '@headgate/express';
import type { RequestHandler } from 'express';
import { expressQueue, overloadProtection, toobusy } from './libraries.ts';
import { underPressure } from './under-pressure.ts';

/** The name of the bare handler's 503. */
export const bare = 'bare 503';

/** Middlewares that reject all requests once an unanswered request holds the only permit. */
export const rejecting: Record<string, () => Promise<RequestHandler> | RequestHandler> = {
  // The minimum: no body and one header field.
  [bare]: () => (_req, res) => void res.writeHead(503, { 'Retry-After': '1' }).end(),
  'headgate, by its limit': () => concurrencyLimit({ limit: 1 }),
  'express-queue': () => expressQueue(1, 0),
  // No timer fires that fast.
  'overload-protection': () =>
    overloadProtection({ sampleInterval: 0.001, maxEventLoopDelay: 1e-9 }),
  'toobusy-js': () => {
    // With a clock that runs a thousand times too fast, its timer is always late.
    const { now } = Date;
    Date.now = () => now() * 1_000;
    return toobusy();
  },
  'under-pressure': () => underPressure({ maxEventLoopDelay: -1, maxEventLoopUtilization: 1 }),
};
