// npm run test:chaos:postgres [-- minutes] [--seed N] [--limit 1|3] [--only fault] [--scene name]
import { run } from '@headgate/chaos';
import { subject } from './subject.ts';

// The lease is so long that regular renewals come too late for a process that is considered dead.
await run({ ...subject, lease: 4_500 });
