import { adaptive } from '@headgate/core';
import type { ConcurrencyLimit } from '@headgate/express';
import type { Request, RequestHandler } from 'express';
import type { Kind } from './kinds.ts';
import { underPressure } from './under-pressure.ts';

/** What stands before the handler. */
export interface Protection {
  middleware: RequestHandler;
  /** Where its limit stands now, if it has one that moves. */
  limit?: () => number;
}

/** One row of the tables: how a middleware is set up, and what it is worth saying of that. */
export interface Server {
  settings: string;
  create(kind: Kind): Promise<Protection> | Protection;
  /** The same, turning away everything after the first request, which is never answered. Undefined: it never does. */
  rejecting?(): Promise<RequestHandler> | RequestHandler;
}

/** Milliseconds that a request may wait with Headgate. */
export const queueTimeout = 300;

const line = { queueLimit: 50, queueTimeout };

/** How much of each resource there is: what somebody who knows it would write. */
const rightLimit: Record<Kind, number> = { cpu: 1, threads: 1, database: 10 };

const priority = (req: Request) => (req.get('x-class') === 'critical' ? 'critical' : 'normal');

const watched = (limit: ConcurrencyLimit): Protection => ({
  middleware: limit as unknown as RequestHandler,
  limit: () => limit.stats().limits[0]?.limit ?? Number.NaN,
});

const expressQueue = async (activeLimit: number, queuedLimit: number) => {
  const { default: queue } = await import('express-queue');
  return queue({ activeLimit, queuedLimit });
};

const overloadProtection = async (thresholds: object) => {
  const { default: protect } = await import('overload-protection');
  const options = { production: true, clientRetrySecs: 1, maxEventLoopDelay: 42, ...thresholds };
  return protect('express', options) as RequestHandler;
};

/** Its README's middleware. */
const toobusy = async (): Promise<RequestHandler> => {
  const { default: isTooBusy } = await import('toobusy-js');
  return (_req, res, next) => {
    if (isTooBusy()) res.status(503).send("I'm busy right now, sorry.");
    else next();
  };
};

const reject: RequestHandler = (_req, res) => void res.writeHead(503, { 'Retry-After': '1' }).end();

export const servers: Record<string, Server> = {
  bare: {
    settings: 'no limit. Its 503 is an app whose first middleware writes nothing else',
    create: () => ({ middleware: (_req, _res, next) => next() }),
    rejecting: () => reject,
  },
  headgate: {
    settings: 'limit: adaptive({ max: 200 }), queueLimit: 50, queueTimeout: 300',
    create: async () => {
      const { concurrencyLimit } = await import('@headgate/express');
      return watched(concurrencyLimit({ limit: adaptive({ max: 200 }), ...line, priority }));
    },
    rejecting: async () => {
      const { concurrencyLimit } = await import('@headgate/express');
      return concurrencyLimit({ limit: 1, priority }) as unknown as RequestHandler;
    },
  },
  'headgate, right limit': {
    settings: 'limit: 1 (cpu, threads) or 10 (database), queueLimit: 50, queueTimeout: 300',
    create: async (kind) => {
      const { concurrencyLimit } = await import('@headgate/express');
      return watched(concurrencyLimit({ limit: rightLimit[kind], ...line, priority }));
    },
  },
  'express-queue': {
    settings: 'activeLimit: 10, queuedLimit: 50',
    create: async () => ({ middleware: await expressQueue(10, 50) }),
    rejecting: () => expressQueue(1, 0),
  },
  'express-queue, right limit': {
    settings: 'activeLimit: 1 (cpu, threads) or 10 (database), queuedLimit: 50',
    create: async (kind) => ({ middleware: await expressQueue(rightLimit[kind], 50) }),
  },
  'overload-protection': {
    settings: 'maxEventLoopDelay: 42 (default), clientRetrySecs: 1',
    create: async () => ({ middleware: await overloadProtection({}) }),
    // No timer is as quick as this.
    rejecting: () => overloadProtection({ sampleInterval: 0.001, maxEventLoopDelay: 1e-9 }),
  },
  'toobusy-js': {
    settings: 'maxLag: 70, interval: 500 (defaults)',
    create: async () => ({ middleware: await toobusy() }),
    rejecting: () => {
      // By a clock that runs a thousand times too fast, all its timers are late.
      const { now } = Date;
      Date.now = () => now() * 1_000;
      return toobusy();
    },
  },
  'under-pressure': {
    settings:
      'its method: maxEventLoopDelay: 100, maxEventLoopUtilization: 0.98, sampled each second',
    create: () => ({
      middleware: underPressure({ maxEventLoopDelay: 100, maxEventLoopUtilization: 0.98 }),
    }),
    rejecting: () => underPressure({ maxEventLoopDelay: -1, maxEventLoopUtilization: 1 }),
  },
};
