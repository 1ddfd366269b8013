import { adapterSuite } from '@headgate/test-suite';
import { nodeFramework } from './framework.ts';

adapterSuite(nodeFramework);
