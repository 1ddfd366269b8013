import { checkNames, checkSpan, invalid } from '@headgate/core/shared';
import { type Connect, clientMaker } from './client.ts';
import { PostgresStore } from './postgres-store.ts';
import { checkSchema } from './schema.ts';

export type { Connect, PostgresClient } from './client.ts';
export type { PostgresStore } from './postgres-store.ts';

export interface PostgresStoreOptions {
  /**
   * How to reach the server itself: a connection string, a config of `pg`, or a function that makes a `pg.Client` which
   * has not been connected. The store opens three connections of its own and never takes one of the app's.
   */
  readonly connect: Connect;
  /** The schema that the store's tables are in, and nothing else. Default: `headgate`. */
  readonly schema?: string | undefined;
  /**
   * Milliseconds for which a permit is held without a renewal: the place of a process that is cut off is lost for so
   * long. At least 100, and three times `timeout`, since it is renewed when a third has passed. Default: 10,000.
   */
  readonly lease?: number | undefined;
  /** Milliseconds that a call may take. Default: 1,000, or a third of `lease` where that is shorter. */
  readonly timeout?: number | undefined;
}

const shortestLease = 100;
const longestLease = 1e12;

/**
 * Counts limits in PostgreSQL 13 or newer: one limit over all processes that use the same database, `schema` and name.
 * The line is kept there too, in order of arrival. `await store.migrate()` makes the tables.
 *
 * @throws HeadgateError where an option is unknown or makes no sense.
 */
export function postgresStore(options: PostgresStoreOptions): PostgresStore {
  checkNames('postgresStore', options, ['connect', 'schema', 'lease', 'timeout']);
  const { connect, schema: name = 'headgate' } = options;
  const schema = checkSchema(name);
  const lease = Math.floor(checkSpan('lease', options.lease ?? 10_000));
  const timeout = checkSpan('timeout', options.timeout ?? Math.min(1_000, lease / 3));
  if (lease < shortestLease || lease < 3 * timeout || lease > longestLease) {
    const expected = `at least ${shortestLease} ms and three times timeout (${timeout} ms), to be renewed in time, and finite`;
    throw invalid('lease', expected, options.lease ?? lease);
  }
  return new PostgresStore(clientMaker(connect), schema, lease, timeout);
}
