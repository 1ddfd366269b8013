import fastifyStatic from '@fastify/static';
import { fileServerSuite } from '@headgate/test-kit/file-server-suite';
import Fastify from 'fastify';
import { fastifyFramework } from './framework.ts';

fileServerSuite(fastifyFramework('Fastify 5', Fastify), {
  '@fastify/static': async (limit, root) => {
    const app = Fastify().register(limit).register(fastifyStatic, { root });
    await app.ready();
    return (req, res) => app.routing(req, res);
  },
});
