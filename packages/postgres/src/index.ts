import { checkNames, invalid } from '@headgate/core/options';
import { checkTimes, type StoreOptions } from '@headgate/store-kit';
import { type Connect, clientMaker } from './client.ts';
import { MIN_IDLE_TIMEOUT } from './idle-timer.ts';
import { PostgresStore } from './postgres-store.ts';
import { checkSchema } from './schema.ts';

export type { PostgresStore } from './postgres-store.ts';

export interface PostgresStoreOptions extends StoreOptions {
  /**
   * How to connect to the server itself (not through a pooler): a connection string, a config for `pg`, or a function
   * that returns a `pg.Client` that is not yet connected. The store opens three connections of its own and never uses
   * one of the app's.
   */
  readonly connect: Connect;
  /** The schema of the store's tables; nothing else should be in it. Default: `headgate`. */
  readonly schema?: string | undefined;
  /**
   * Milliseconds after which the store closes its connections if the process holds no permit, has no waiter, and makes
   * no calls. The next call opens them again. At least 2,000; Infinity: never. Default: 60,000.
   */
  readonly idleTimeout?: number | undefined;
}

const known = [
  ...['connect', 'schema', 'idleTimeout'],
  ...['leaseDuration', 'timeout', 'handoff', 'reserve', 'name'],
];

/**
 * A store that counts limits in PostgreSQL 13 or newer. All processes with the same database, `schema` and limit name
 * share one limit and one queue, in order of arrival. `await store.migrate()` creates the tables.
 *
 * @throws HeadgateError for an unknown or invalid option.
 */
export function postgresStore(options: PostgresStoreOptions): PostgresStore {
  checkNames('postgresStore', options, known);
  const { connect, idleTimeout = 60_000, handoff, reserve, name = 'postgres' } = options;
  const schema = checkSchema(options.schema ?? 'headgate');
  const times = checkTimes(options);
  if (!(typeof idleTimeout === 'number' && idleTimeout >= MIN_IDLE_TIMEOUT)) {
    const expected = `a number of milliseconds, at least ${MIN_IDLE_TIMEOUT}`;
    throw invalid('idleTimeout', expected, idleTimeout);
  }
  const make = clientMaker(connect);
  return new PostgresStore({ ...times, make, schema, idleTimeout, handoff, reserve, name });
}
