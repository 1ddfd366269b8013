import { adapterSuite } from '@headgate/test-suite';
import { honoFramework } from './framework.ts';

adapterSuite(honoFramework);
