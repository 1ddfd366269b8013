// npm run test:chaos:postgres [-- minutes] [--seed N] [--limit 1|3] [--only fault] [--scene name]
import { run } from '@headgate/chaos';
import { subject } from './subject.ts';

// A lease so long that its usual renewals come too late for a process that is taken for dead.
await run({ ...subject, lease: 4_500 });
