import { chaosSuite } from '@headgate/chaos';
import { storeUnderTest } from './store-under-test.ts';

// Shows that the faults are injected and the invariants are checked; chaos.long.test.ts searches for violations.
chaosSuite(storeUnderTest, { single: 500 });
