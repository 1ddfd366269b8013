import { savingSuite } from '@headgate/test-servers/processes';
import { useCrew } from './crew.ts';
import { useDatabase } from './database.ts';

const crew = useCrew();
const database = useDatabase();

savingSuite({
  start: (count, options) => crew.start(count, database, { lease: 20_000, ...options }),
  // Much shorter than the lease.
  back: 8_000,
});
