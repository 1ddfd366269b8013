import { chaosSuite } from '@headgate/chaos';
import { storeUnderTest } from './store-under-test.ts';

chaosSuite(storeUnderTest, { single: 7_000 });
