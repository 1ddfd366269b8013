import { chaosSuite } from '@headgate/chaos';
import { storeUnderTest } from './store-under-test.ts';

chaosSuite(storeUnderTest, { single: 7_000, cluster: 3_000, failover: 3_000 });
