import { destroy, type MakeClient, type PostgresClient } from './client.ts';
import { failure } from './failure.ts';
import { leaseFunctions } from './lease.sql.ts';
import { ringFunctions } from './ring.sql.ts';
import { identifier } from './schema.ts';
import { tables } from './tables.sql.ts';

/**
 * All that the store needs in the database, in one transaction. It may run again, and in many processes at once: the
 * lock lets one after the other, which takes as long as it takes, whatever the role is set to.
 */
export function migration(schema: string): string {
  const quoted = identifier(schema);
  return `BEGIN READ WRITE;
SET LOCAL client_min_messages = warning;
SET LOCAL statement_timeout = 0;
SET LOCAL lock_timeout = 0;
SELECT pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtext('headgate'), pg_catalog.hashtext('migration'));
${tables(quoted)}${leaseFunctions(quoted)}${ringFunctions(quoted)}
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
    await client.query({ text: migration(schema), rowMode: 'array' });
    await client.end();
  } catch (error) {
    if (client !== undefined) destroy(client);
    throw failure(error);
  }
}
