import { savingSuite } from '@headgate/test-servers/processes';
import { useCrew } from './crew.ts';
import { useDatabase } from './database.ts';

const crew = useCrew();
const database = useDatabase();

savingSuite({
  start: (count, options) => crew.start(count, database, { lease: 20_000, ...options }),
  // Long before its lease ends.
  back: 8_000,
});
