import { adapterSuite } from '@headgate/test-suite';
import fastify from 'fastify';
import { fastifyFramework } from './framework.ts';

adapterSuite(fastifyFramework('Fastify 5', fastify));
