import { inFrontSuite, inFrontTopics } from '@headgate/test-kit/in-front';
import type { HttpBindings } from '@hono/node-server';
import { Hono, type MiddlewareHandler } from 'hono';
import { honoFramework } from './framework.ts';

inFrontSuite(honoFramework('Hono 4', Hono), {
  inside: (limit): MiddlewareHandler<{ Bindings: HttpBindings }> => {
    return async ({ env }, next) => {
      await limit(() => next())(env.incoming, env.outgoing);
    };
  },
  needsInnerLimit: true,
  topics: inFrontTopics,
});
