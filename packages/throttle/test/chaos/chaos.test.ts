import { chaosSuite } from '@headgate/chaos';
import { subject } from './subject.ts';

// Shows that the faults strike and the invariants are checked. chaos.long.test.ts looks for what breaks them.
chaosSuite(subject, { single: 500 });
