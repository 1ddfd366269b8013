import Fastify from 'fastify';
import { slowAnswer, slowStream } from './routes.js';

const fastify = Fastify();
fastify.get('/', async () => 'Hello from the page');
fastify.get('/slow', async () => slowAnswer());
fastify.get('/stream', (_request, reply) => reply.send(slowStream()));
await fastify.listen({ port: process.env.PORT, host: process.env.HOST });
