// npm run chaos -- server [minutes] [--seed N] [--limit 1|3] [--only fault]
import { run } from '@headgate/chaos';
import { storeUnderTest } from './store-under-test.ts';

await run(storeUnderTest);
