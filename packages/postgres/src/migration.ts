import {
  connectTimeout,
  destroy,
  type MakeClient,
  makeInTime,
  type PostgresClient,
  statement,
} from './client.ts';
import { failure, isDenied, stateOf } from './failure.ts';
import { failureDetectorFunctions } from './failure-detector.sql.ts';
import { leaseFunctions } from './lease.sql.ts';
import { identifier, literal } from './schema.ts';
import { ifKnown } from './session.ts';
import { tables } from './tables.sql.ts';
import {
  checkVersion,
  NEWER_TABLES_STATE,
  version,
  versionFunction,
  versionGuard,
} from './version.ts';

/**
 * Creates everything that the store needs in the database, in one transaction. It may run repeatedly, and in many
 * processes at once: an advisory lock serializes the runs, without a time limit, whatever the settings of the role. It
 * runs at READ COMMITTED, since a snapshot from before the lock would not include what another process has just
 * created.
 */
export function migration(schema: string): string {
  const quoted = identifier(schema);
  return `BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE;
SET LOCAL client_min_messages = warning;
SET LOCAL statement_timeout = 0;
SET LOCAL lock_timeout = 0;
SELECT ${ifKnown('transaction_timeout', '0', true)};
SELECT pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtext('headgate'), pg_catalog.hashtext('migration'));
${versionGuard(quoted)}${schemaCreation(schema)}${tables(quoted)}${leaseFunctions(quoted)}${failureDetectorFunctions(quoted)}${versionFunction(quoted)}
COMMIT;
`;
}

/**
 * Checks for the schema itself, since CREATE SCHEMA IF NOT EXISTS needs the right to create schemas even if the schema
 * exists.
 */
function schemaCreation(schema: string): string {
  return `
DO $body$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_catalog.pg_namespace WHERE nspname = ${literal(schema)}) THEN
    CREATE SCHEMA ${identifier(schema)};
  END IF;
END
$body$;
`;
}

/**
 * Uses a connection of its own, without a time limit. A role without the rights to migrate may call it if nothing needs
 * to be migrated.
 */
export async function migrate(make: MakeClient, schema: string): Promise<void> {
  let client: PostgresClient | undefined;
  let denied: unknown;
  try {
    client = await makeInTime(make, connectTimeout(0));
    client.on('error', () => {});
    await client.connect();
    await client.query(statement(migration(schema))).catch((error: unknown) => {
      if (isDenied(error)) denied = error;
      else if (stateOf(error) !== NEWER_TABLES_STATE) throw error;
    });
    // The tables belong to a newer release and were left unchanged. This release may still be able to use them.
    await client.query(statement('ROLLBACK'));
    const { rows } = await client.query(statement(`SELECT ${version(identifier(schema))}`));
    checkVersion(rows[0]?.[0]);
    await client.end();
  } catch (error) {
    if (client !== undefined) destroy(client);
    throw failure(denied ?? error);
  }
}
