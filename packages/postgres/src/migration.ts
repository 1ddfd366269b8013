import { destroy, type MakeClient, type PostgresClient, statement } from './client.ts';
import { failure, stateOf } from './failure.ts';
import { leaseFunctions } from './lease.sql.ts';
import { ringFunctions } from './ring.sql.ts';
import { identifier } from './schema.ts';
import { ifKnown } from './session.ts';
import { tables } from './tables.sql.ts';
import { checkVersion, isNewer, versionFunction, versionGuard, versionQuery } from './version.ts';

/**
 * All that the store needs in the database, in one transaction. It may run again, and in many processes at once: the
 * lock lets one after the other, which takes as long as it takes, whatever the role is set to. At READ COMMITTED, since
 * a snapshot from before the lock would not show what the process before has created.
 */
export function migration(schema: string): string {
  const quoted = identifier(schema);
  return `BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE;
SET LOCAL client_min_messages = warning;
SET LOCAL statement_timeout = 0;
SET LOCAL lock_timeout = 0;
SELECT ${ifKnown('transaction_timeout', '0', true)};
SELECT pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtext('headgate'), pg_catalog.hashtext('migration'));
${versionGuard(quoted)}${tables(quoted)}${leaseFunctions(quoted)}${ringFunctions(quoted)}${versionFunction(quoted)}
COMMIT;
`;
}

/** On a connection of its own, which has as much time as it takes. */
export async function migrate(make: MakeClient, schema: string): Promise<void> {
  let client: PostgresClient | undefined;
  try {
    client = await make();
    client.on('error', () => {});
    await client.connect();
    await client.query(statement(migration(schema))).catch((error: unknown) => {
      if (stateOf(error) !== isNewer) throw error;
    });
    // Of a newer release's tables nothing was changed: perhaps this one can use them.
    await client.query(statement('ROLLBACK'));
    const { rows } = await client.query(statement(versionQuery(identifier(schema))));
    checkVersion(rows[0]?.[0]);
    await client.end();
  } catch (error) {
    if (client !== undefined) destroy(client);
    throw failure(error);
  }
}
