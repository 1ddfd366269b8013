import { adapterSuite, basicTopics } from '@headgate/test-suite';
import fastify4 from 'fastify4-oldest';
import fastify5 from 'fastify5-oldest';
import { fastifyFramework } from './framework.ts';

adapterSuite(fastifyFramework('Fastify 4.26.0', fastify4), basicTopics);
adapterSuite(fastifyFramework('Fastify 5.0.0', fastify5), basicTopics);
