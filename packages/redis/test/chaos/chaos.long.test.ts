import { chaosSuite } from '@headgate/chaos';
import { subject } from './subject.ts';

chaosSuite(subject, { single: 7_000, cluster: 3_000, failover: 3_000 });
