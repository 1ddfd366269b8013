import { postgresStore } from '@headgate/postgres';
import type { Store } from '@headgate/store-kit';
import pg from 'pg';

export const stores: Store[] = [
  postgresStore({ connect: 'postgres://localhost/app' }),
  postgresStore({ connect: { host: 'localhost', database: 'app' }, schema: 'limits' }),
  postgresStore({ connect: () => new pg.Client(), leaseDuration: 5_000 }),
];
