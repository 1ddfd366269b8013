import { postgresStore } from '@headgate/postgres';
import { storeSuite } from '@headgate/test-suite';
import { vi } from 'vitest';
import { useDatabase } from './processes/database.ts';

const database = useDatabase();

storeSuite({
  name: 'PostgreSQL',
  // A third of it is how long an answer may take, on a machine that has much else to do.
  lease: 900,
  connect: async (times) => {
    const store = postgresStore({ connect: database.server.url, ...times });
    await vi.waitFor(() => store.stats({ name: 'connects' }), 5_000);
    return store;
  },
  wipe: async () => void (await database.rows('TRUNCATE headgate.limits, headgate.leases')),
  hang: () => {
    database.server.freeze();
    return () => database.server.thaw();
  },
});
