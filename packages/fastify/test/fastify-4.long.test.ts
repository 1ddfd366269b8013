import { adapterSuite } from '@headgate/test-suite';
import type fastify from 'fastify';
import fastify4 from 'fastify4';
import { fastifyFramework } from './framework.ts';

adapterSuite(fastifyFramework('Fastify 4', fastify4 as unknown as typeof fastify));
