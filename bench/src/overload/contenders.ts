import type { IncomingMessage } from 'node:http';
import { defaultLimit, type Priority } from '@headgate/core';
import type { HttpHandle } from '@headgate/core/http';
import type { RequestHandler } from 'express';
import type { App, Host, LimitOptions } from '../hosts/host.ts';
import { expressQueue, overloadProtection, toobusy } from './libraries.ts';
import type { Resource } from './resources.ts';
import { underPressure } from './under-pressure.ts';

/** What protects an app, within the framework or in front of it. */
export interface Protection extends Omit<App<unknown>, 'handle'> {
  /** Reads the current limit, if it changes. */
  limit?: () => number;
}

/** A row of the tables: what protects an app, and its settings. */
export interface Contender {
  settings: string;
  /** Whether it is a middleware of Express. */
  needsExpress?: boolean;
  create(resource: Resource, host: Host): Promise<Protection> | Protection;
}

type Options = Omit<LimitOptions<unknown>, 'priority'>;

const priorityOf = (value: string | undefined): Priority =>
  value === 'critical' ? 'critical' : 'normal';

const watched = (limit: HttpHandle) => ({
  limit: () => limit.stats().limits[0]?.limit ?? Number.NaN,
});

/** The limit of the framework's adapter. */
async function inside(host: Host, options: Options = {}): Promise<Protection> {
  const priority = (request: unknown) => priorityOf(host.header(request, 'x-class'));
  const { middleware, handle } = await host.limit({ ...options, priority });
  return { middleware, ...watched(handle) };
}

/** The limit of `@headgate/node` around the app. */
async function inFront(options: Options = {}): Promise<Protection> {
  const { concurrencyLimit } = await import('@headgate/node');
  const priority = ({ headers }: IncomingMessage) =>
    priorityOf(headers['x-class'] as string | undefined);
  const limit = concurrencyLimit({ ...options, priority });
  return { inFront: limit, ...watched(limit) };
}

const ofExpress = (
  settings: string,
  create: (resource: Resource) => Promise<RequestHandler> | RequestHandler,
): Contender => ({
  settings,
  needsExpress: true,
  create: async (resource) => ({ middleware: await create(resource) }),
});

/** The capacity of each resource, which an expert would use as the limit. */
const rightLimit: Record<Resource, number> = {
  cpu: 1,
  varying: 1,
  timer: 4,
  query: 6,
  queries: 11,
  threads: 1,
  database: 10,
  pool: 10,
  'pool-cpu': 5,
};

const rightLimits =
  '1 (cpu, varying, threads), 4 (timer), 5 (pool-cpu), 6 (query), 11 (queries) or 10 (database, pool)';

const withRightLimit = (resource: Resource): Options => ({
  limit: rightLimit[resource],
  queueLimit: 50,
  queueTimeout: 300,
});

export const contenders: Record<string, Contender> = {
  bare: { settings: 'none', create: () => ({}) },
  headgate: { settings: 'none', create: (_, host) => inside(host) },
  'headgate in front': { settings: 'none', create: () => inFront() },
  'headgate, short wait': {
    settings: 'limit: defaultLimit({ maxWait: 50 })',
    create: (_, host) => inside(host, { limit: defaultLimit({ maxWait: 50 }) }),
  },
  'headgate, right limit': {
    settings: `limit: ${rightLimits}, queueLimit: 50, queueTimeout: 300`,
    create: (resource, host) => inside(host, withRightLimit(resource)),
  },
  'headgate in front, right limit': {
    settings: `limit: ${rightLimits}, queueLimit: 50, queueTimeout: 300`,
    create: (resource) => inFront(withRightLimit(resource)),
  },
  'express-queue, right limit': ofExpress(
    `activeLimit: ${rightLimits}, queuedLimit: 50`,
    (resource) => expressQueue(rightLimit[resource], 50),
  ),
  'express-queue, short queue': ofExpress('the same with queuedLimit: 20', (resource) =>
    expressQueue(rightLimit[resource], 20),
  ),
  'overload-protection': ofExpress('maxEventLoopDelay: 42 (default), clientRetrySecs: 1', () =>
    overloadProtection(),
  ),
  'toobusy-js': ofExpress('maxLag: 70, interval: 500 (defaults)', () => toobusy()),
  'under-pressure': ofExpress(
    'its method: maxEventLoopDelay: 100, maxEventLoopUtilization: 0.98, sampled each second',
    () => underPressure({ maxEventLoopDelay: 100, maxEventLoopUtilization: 0.98 }),
  ),
};
