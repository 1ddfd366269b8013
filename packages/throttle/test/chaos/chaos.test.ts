import { chaosSuite } from '@headgate/chaos';
import { subject } from './subject.ts';

// Shows that the faults are injected and the invariants are checked; chaos.long.test.ts searches for violations.
chaosSuite(subject, { single: 500 });
