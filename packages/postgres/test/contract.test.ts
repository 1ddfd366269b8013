import { postgresStore } from '@headgate/postgres';
import { startPostgres } from '@headgate/test-servers';
import { storeSuite } from '@headgate/test-suite';
import pg from 'pg';
import { afterAll, vi } from 'vitest';

const server = await startPostgres();
const admin = new pg.Client(server.url);
await admin.connect();
await postgresStore({ connect: server.url }).migrate();
afterAll(async () => {
  await admin.end();
  await server.stop();
});

storeSuite({
  name: 'PostgreSQL',
  // A third of it is how long an answer may take, on a machine that has much else to do.
  lease: 900,
  connect: async (times) => {
    const store = postgresStore({ connect: server.url, ...times });
    await vi.waitFor(() => store.stats({ name: 'connects' }), 5_000);
    return store;
  },
  wipe: async () => void (await admin.query('TRUNCATE headgate.limits, headgate.leases')),
  hang: () => {
    server.freeze();
    return () => server.thaw();
  },
});
