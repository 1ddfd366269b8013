import { adapterSuite } from '@headgate/test-suite';
import { webFramework } from './framework.ts';

adapterSuite(webFramework);
