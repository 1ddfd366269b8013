import { inFrontSuite } from '@headgate/test-kit/in-front';
import Fastify, { type FastifyPluginCallback } from 'fastify';
import { fastifyFramework } from './framework.ts';

inFrontSuite(fastifyFramework('Fastify 5', Fastify), {
  inside: (limit): FastifyPluginCallback => {
    const plugin: FastifyPluginCallback = (instance, _options, done) => {
      instance.addHook('onRequest', (request, reply, next) => {
        void limit(() => next())(request.raw, reply.raw);
      });
      done();
    };
    return Object.assign(plugin, { [Symbol.for('skip-override')]: true });
  },
  needsInnerLimit: true,
});
