import { interleavingSuite } from '@headgate/test-suite';
import pg from 'pg';
import { afterAll, beforeAll } from 'vitest';
import { useDatabase } from './processes/database.ts';
import { SimulatedPostgres } from './simulated-postgres.ts';

const database = useDatabase();
let admin: pg.Client;
let latest: SimulatedPostgres;
beforeAll(async () => {
  admin = new pg.Client(database.server.url);
  await admin.connect();
  await SimulatedPostgres.migrate(admin);
}, 30_000);
afterAll(() => admin.end());

interleavingSuite({
  name: 'postgresStore',
  start: async (options) => {
    latest = await SimulatedPostgres.start(admin, database.server.url, options);
    return latest;
  },
  settled: () => latest.settled(),
  runs: 1,
});
