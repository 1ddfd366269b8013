import { chaosSuite } from '@headgate/chaos';
import { subject } from './subject.ts';

chaosSuite(subject, { single: 7_000 });
