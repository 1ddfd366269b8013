import { savingSuite } from '@headgate/test-servers/processes';
import { useDatabase } from './database.ts';
import { useWorkers } from './workers.ts';

const workers = useWorkers();
const database = useDatabase();

savingSuite({
  start: (count, options) => workers.start(count, database, { lease: 20_000, ...options }),
  // Much shorter than the lease.
  back: 8_000,
});
