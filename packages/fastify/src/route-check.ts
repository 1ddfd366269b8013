import { subscribe } from 'node:diagnostics_channel';
import { HeadgateError } from '@headgate/core';
import { warnOnce } from '@headgate/core/http';
import { invalid, nearest } from '@headgate/core/options';
import type { FastifyInstance, RouteOptions } from 'fastify';

/**
 * Marks the instances with which a limit is registered. Instances within them inherit the mark, as they inherit the
 * hooks of the limit.
 */
const limited = Symbol.for('headgate.fastify.limited');

export function markLimited(instance: FastifyInstance): void {
  Object.defineProperty(instance, limited, { value: true });
}

/**
 * Checks the routes of every app that is created from now on. A plugin cannot check them all, since Fastify does not
 * show it the routes of other instances or those added before it. A limit in the configuration of such a route would be
 * ignored silently.
 */
export function checkRoutesOfNewApps(): void {
  subscribe('fastify.initialization', (message) => {
    const { fastify } = message as { fastify: FastifyInstance };
    const unchecked: (() => void)[] = [];
    fastify.addHook('onRoute', function (this: FastifyInstance, route) {
      if (!setsLimit(route)) return;
      unchecked.push(() => checkRegistered(this, route));
    });
    // An earlier check would be wrong: a limit that is registered after a route applies to that route as well.
    fastify.addHook('onReady', async () => {
      for (const check of unchecked) check();
    });
  });
}

/**
 * Whether the route sets a limit of its own.
 *
 * @throws HeadgateError for a value that cannot be a limit. Fastify's types accept any name.
 */
function setsLimit(route: RouteOptions): boolean {
  // Fastify accepts null as well, for none.
  const config = route.config ?? {};
  for (const [name, value] of Object.entries(config)) warnOfSimilar(name, value);
  const limit: unknown = config.concurrencyLimit;
  if (limit === undefined || limit === false) return false;
  if (typeof limit === 'function') return true;
  throw invalid('config.concurrencyLimit', 'false or a result of concurrencyLimit()', limit);
}

/** A similar name causes a warning, not an error, since a plugin of the app may use a field of that name. */
function warnOfSimilar(name: string, value: unknown): void {
  const couldBeLimit = value === false || typeof value === 'function';
  if (!couldBeLimit || name === 'concurrencyLimit') return;
  if (nearest(name, ['concurrencyLimit']) === undefined) return;
  const message = `config.${name} of a route is no field of @headgate/fastify, and has no effect there; did you mean "concurrencyLimit"?`;
  warnOnce('HEADGATE_ROUTE_CONFIG', message);
}

function checkRegistered(instance: FastifyInstance, { method, url }: RouteOptions): void {
  if (limited in instance) return;
  throw new HeadgateError(
    'ERR_HEADGATE_MIDDLEWARE',
    `config.concurrencyLimit of ${method} ${url} has no effect: register a concurrencyLimit() with the instance of the route, or with one around it`,
    'config.concurrencyLimit',
  );
}
