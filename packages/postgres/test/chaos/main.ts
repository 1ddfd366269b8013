// npm run chaos -- postgres [minutes] [--seed N] [--limit 1|2|3] [--only fault] [--environment name]
import { run } from '@headgate/chaos';
import { storeUnderTest } from './store-under-test.ts';

// The lease is so long that regular renewals come too late for a process that is considered dead.
await run({ ...storeUnderTest, lease: 4_500 });
