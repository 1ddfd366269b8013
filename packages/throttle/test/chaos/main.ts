// npm run test:chaos:throttle [-- minutes] [--seed N] [--limit 1|3] [--only fault]
import { run } from '@headgate/chaos';
import { subject } from './subject.ts';

await run(subject);
