import { adapterSuite } from '@headgate/test-suite';
import { nestFramework } from './framework.ts';

adapterSuite(nestFramework('Fastify'));
