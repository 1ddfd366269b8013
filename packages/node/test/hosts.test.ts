import { hostSuite } from '@headgate/test-kit/host-suite';
import { nodeFramework } from './framework.ts';

hostSuite(nodeFramework);
