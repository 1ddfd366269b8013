import { misplaced, unlimited } from '@headgate/core/http';
import type { FastifyPluginCallback } from 'fastify';
import type { LimitHook } from './limit-hook.ts';
import { checkRoutesOfNewApps, markLimited } from './route-check.ts';
import { configReader, limitOfRoute, registerHook } from './route-config.ts';
import { tracked } from './tracked-handler.ts';

/** Fastify's own marks of a plugin: hooks apply to the instance that registers it; which versions it supports. */
const marks = {
  [Symbol.for('skip-override')]: true,
  [Symbol.for('fastify.display-name')]: '@headgate/fastify',
  [Symbol.for('plugin-meta')]: { name: '@headgate/fastify', fastify: '^4.26.0 || ^5.0.0' },
};

checkRoutesOfNewApps();

export function pluginOf(hook: LimitHook): FastifyPluginCallback {
  const plugin: FastifyPluginCallback = (instance, _, done) => {
    if (typeof instance?.addHook !== 'function') throw misplaced('@headgate/fastify', instance);
    markLimited(instance);
    if (!instance.hasRequestDecorator('admission')) instance.decorateRequest('admission');
    instance.addHook('onRoute', (route) => {
      limitOfRoute(route.config);
      route.handler = tracked(route.handler);
    });
    const configOf = configReader();
    instance.addHook('onRequest', (request, reply, next) => {
      const own = limitOfRoute(configOf(request));
      if (own !== false) return (own ?? hook).handle(request, reply, next);
      request.admission ??= unlimited;
      next();
    });
    done();
  };
  registerHook(plugin, hook);
  return Object.assign(plugin, marks);
}
