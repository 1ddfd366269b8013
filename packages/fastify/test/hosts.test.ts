import awsLambda from '@fastify/aws-lambda';
import type { ConcurrencyLimit } from '@headgate/fastify';
import { hostSuite, testThrough } from '@headgate/test-kit/host-suite';
import { throughLambda } from '@headgate/test-kit/hosts';
import type { SuiteApp } from '@headgate/test-suite';
import fastify from 'fastify';
import { fastifyApp, fastifyFramework } from './framework.ts';

const framework = fastifyFramework('Fastify 5', fastify);

hostSuite(framework);
testThrough('@fastify/aws-lambda', framework as never, (app) =>
  throughLambda(awsLambda(fastifyApp(app as SuiteApp<ConcurrencyLimit>, fastify))),
);
