import { HeadgateError } from '@headgate/core';
import { misplaced, unlimited } from '@headgate/core/http';
import type { FastifyPluginCallback } from 'fastify';
import type { LimitHook } from './limit-hook.ts';
import { checkRoutesOfNewApps, markLimited } from './route-check.ts';
import { configReader, limitOfRoute, registerHook } from './route-config.ts';
import { tracked } from './tracked-handler.ts';

/** Marks with which Fastify applies the hooks to the instance that registers the plugin, and checks its own version. */
const marks = {
  [Symbol.for('skip-override')]: true,
  [Symbol.for('fastify.display-name')]: '@headgate/fastify',
  [Symbol.for('plugin-meta')]: { name: '@headgate/fastify', fastify: '^4.26.0 || ^5.0.0' },
};

/** What Fastify itself takes in `register`. */
const registerOptions = ['prefix', 'logLevel', 'logSerializers'];

checkRoutesOfNewApps();

export function pluginOf(hook: LimitHook): FastifyPluginCallback {
  const plugin: FastifyPluginCallback = (instance, options, done) => {
    if (typeof instance?.addHook !== 'function') throw misplaced('@headgate/fastify', instance);
    // An error that is thrown here would be an uncaught exception.
    const error = misplacedOption(options) ?? attempted(() => hook.closeWith(instance));
    if (error !== undefined) return done(error);
    markLimited(instance);
    if (!instance.hasRequestDecorator('admission')) instance.decorateRequest('admission');
    instance.addHook('onRoute', (route) => {
      const own = limitOfRoute(route.config);
      if (own) own.closeWith(instance);
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

function attempted(run: () => void): Error | undefined {
  try {
    run();
  } catch (error) {
    return error as Error;
  }
}

/** The error for options that are passed to `register`, as with other plugins. They would have no effect there. */
function misplacedOption(options: object): HeadgateError | undefined {
  const option = Object.keys(options).find((name) => !registerOptions.includes(name));
  if (option === undefined) return undefined;
  const message = `"${option}" must be an option of concurrencyLimit(), not of register(): app.register(concurrencyLimit({ ${option} }))`;
  return new HeadgateError('ERR_HEADGATE_UNKNOWN_OPTION', message, option);
}
