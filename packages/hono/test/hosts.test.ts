import type { ConcurrencyLimit } from '@headgate/hono';
import { hostSuite, testThrough } from '@headgate/test-kit/host-suite';
import { throughLambda } from '@headgate/test-kit/hosts';
import type { SuiteApp } from '@headgate/test-suite';
import { Hono } from 'hono';
import { handle } from 'hono/aws-lambda';
import { honoFramework } from './framework.ts';
import { honoApp, honoLimit } from './suite-app.ts';

// Hono's Node server answers a mocked request with 400, and waits for a `drain` that the two other hosts never emit.
hostSuite(honoFramework('Hono 4', Hono), {
  'node-mocks-http': 'nothing',
  'node-mocks-http without events': 'nothing',
  '@codegenie/serverless-express': ['error', 'destroy'],
  '@vendia/serverless-express': ['error', 'destroy'],
});

const hono = { name: 'Hono 4', limit: honoLimit };
testThrough(
  'hono/aws-lambda',
  hono,
  (app) => throughLambda(handle(honoApp(app as SuiteApp<ConcurrencyLimit>, Hono))),
  ['stream', 'error'],
);
