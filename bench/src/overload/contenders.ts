import { defaultLimit, type Priority } from '@headgate/core';
import { type ConcurrencyLimit, concurrencyLimit } from '@headgate/express';
import type { Request, RequestHandler } from 'express';
import { expressQueue, overloadProtection, toobusy } from './libraries.ts';
import type { Resource } from './resources.ts';
import { underPressure } from './under-pressure.ts';

/** The middleware in front of the handler. */
export interface Protection {
  middleware: RequestHandler;
  /** Reads the current limit, if it changes. */
  limit?: () => number;
}

/** A row of the tables: a middleware and its settings. */
export interface Contender {
  settings: string;
  create(resource: Resource): Promise<Protection> | Protection;
}

const priority = (req: Request) =>
  (req.get('x-class') === 'critical' ? 'critical' : 'normal') as Priority;

/** The capacity of each resource, which an expert would use as the limit. */
const rightLimit: Record<Resource, number> = {
  cpu: 1,
  varying: 1,
  timer: 4,
  query: 6,
  queries: 11,
  threads: 1,
  database: 10,
};

const rightLimits =
  '1 (cpu, varying, threads), 4 (timer), 6 (query), 11 (queries) or 10 (database)';

const watched = (limit: ConcurrencyLimit): Protection => ({
  middleware: limit,
  limit: () => limit.stats().limits[0]?.limit ?? Number.NaN,
});

export const contenders: Record<string, Contender> = {
  bare: {
    settings: 'none',
    create: () => ({ middleware: (_req, _res, next) => next() }),
  },
  headgate: {
    settings: 'none',
    create: () => watched(concurrencyLimit({ priority })),
  },
  'headgate, short wait': {
    settings: 'limit: defaultLimit({ maxWait: 50 })',
    create: () => watched(concurrencyLimit({ limit: defaultLimit({ maxWait: 50 }), priority })),
  },
  'headgate, right limit': {
    settings: `limit: ${rightLimits}, queueLimit: 50, queueTimeout: 300`,
    create: (resource) => {
      const queue = { queueLimit: 50, queueTimeout: 300 };
      return watched(concurrencyLimit({ limit: rightLimit[resource], ...queue, priority }));
    },
  },
  'express-queue, right limit': {
    settings: `activeLimit: ${rightLimits}, queuedLimit: 50`,
    create: async (resource) => ({ middleware: await expressQueue(rightLimit[resource], 50) }),
  },
  'express-queue, short queue': {
    settings: 'the same with queuedLimit: 20',
    create: async (resource) => ({ middleware: await expressQueue(rightLimit[resource], 20) }),
  },
  'overload-protection': {
    settings: 'maxEventLoopDelay: 42 (default), clientRetrySecs: 1',
    create: async () => ({ middleware: await overloadProtection() }),
  },
  'toobusy-js': {
    settings: 'maxLag: 70, interval: 500 (defaults)',
    create: async () => ({ middleware: await toobusy() }),
  },
  'under-pressure': {
    settings:
      'its method: maxEventLoopDelay: 100, maxEventLoopUtilization: 0.98, sampled each second',
    create: () => ({
      middleware: underPressure({ maxEventLoopDelay: 100, maxEventLoopUtilization: 0.98 }),
    }),
  },
};
