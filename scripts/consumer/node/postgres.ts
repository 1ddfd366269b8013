import type { Store } from '@headgate/core/distributed';
import { postgresStore } from '@headgate/postgres';
import pg from 'pg';

export const stores: Store[] = [
  postgresStore({ connect: 'postgres://localhost/app' }),
  postgresStore({ connect: { host: 'localhost', database: 'app' }, schema: 'limits' }),
  postgresStore({ connect: () => new pg.Client(), leaseDuration: 5_000 }),
];
