// npm run chaos -- redis [minutes] [--seed N] [--limit 1|2|3] [--only fault] [--environment name]
import { run } from '@headgate/chaos';
import { storeUnderTest } from './store-under-test.ts';

await run(storeUnderTest);
