import type { PostgresOptions } from '@headgate/test-servers';
import type { Database } from './processes/database.ts';

/** Server settings that databases with a virtual clock need. */
export const clockOptions: PostgresOptions = { settings: { allow_system_table_mods: 'on' } };

/**
 * Replaces the server's clock in this database, for statements and functions alike: its time is constant until `elapse`
 * advances it. So leases expire without a wait, and none expires because the machine is busy. Call it before the
 * store's tables are created: the functions of a session keep the clock with which they were planned.
 */
export async function stopClock(database: Database): Promise<void> {
  await database.rows(`
    CREATE SEQUENCE public.clock;
    SELECT setval('public.clock', (extract(epoch FROM clock_timestamp()) * 1000000)::bigint);
    CREATE FUNCTION public.virtual_time() RETURNS timestamptz LANGUAGE sql VOLATILE
      AS 'SELECT pg_catalog.to_timestamp(last_value / 1000000.0) FROM public.clock';
    ALTER FUNCTION pg_catalog.clock_timestamp() RENAME TO real_clock_timestamp;
    ALTER FUNCTION pg_catalog.statement_timestamp() RENAME TO real_statement_timestamp;
    CREATE FUNCTION pg_catalog.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS 'SELECT public.virtual_time()';
    CREATE FUNCTION pg_catalog.statement_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS 'SELECT public.virtual_time()';
  `);
}

export async function elapse(database: Database, milliseconds: number): Promise<void> {
  const sql = `SELECT setval('public.clock', last_value + $1::bigint) FROM public.clock`;
  await database.ask(sql, Math.round(milliseconds * 1_000));
}
