// npm run test:chaos [-- minutes] [--seed N] [--limit 1|3] [--only fault] [--scene name]
import { run } from '@headgate/chaos';
import { subject } from './subject.ts';

await run(subject);
