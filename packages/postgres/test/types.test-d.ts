import { createLimiter } from '@headgate/core';
import { type PostgresStore, postgresStore } from '@headgate/postgres';
import pg from 'pg';

const store: PostgresStore = postgresStore({ connect: 'postgres://localhost/app' });
createLimiter({ name: 'a', limit: 1, store });
postgresStore({
  connect: { host: 'localhost', ssl: true },
  schema: 'limits',
  leaseDuration: 5_000,
});
postgresStore({ connect: () => new pg.Client() });
postgresStore({ connect: async () => new pg.Client() });
// @ts-expect-error: there is no default
postgresStore({});
