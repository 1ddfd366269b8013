import { hostSuite } from '@headgate/test-kit/host-suite';
import { nestFramework } from './framework.ts';

// light-my-request supports Express only if it is called with the app itself.
hostSuite(nestFramework('Express'), { 'light-my-request': 'nothing' });
hostSuite(nestFramework('Fastify'));
