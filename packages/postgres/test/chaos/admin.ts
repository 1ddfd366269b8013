import type { PostgresServer } from '@headgate/test-servers';
import pg from 'pg';

/** Runs statements as superuser on a connection that is closed afterwards. Rejects if the server cannot be reached. */
export async function asAdmin<T>(
  { url }: PostgresServer,
  work: (ask: Ask) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString: url, application_name: 'chaos' });
  client.on('error', () => {});
  await client.connect();
  try {
    return await work(async (sql, ...values) => {
      const { rows } = await client.query({ text: sql, values, rowMode: 'array' });
      return rows.map(([first]) => first);
    });
  } finally {
    await client.end();
  }
}

/** Resolves to the first column of each row. */
type Ask = (sql: string, ...values: unknown[]) => Promise<unknown[]>;

/** Runs one statement. */
export function order(
  server: PostgresServer,
  sql: string,
  ...values: unknown[]
): Promise<unknown[]> {
  return asAdmin(server, (ask) => ask(sql, ...values));
}

export async function versionOf(server: PostgresServer): Promise<number> {
  const [version] = await order(
    server,
    `SELECT current_setting('server_version_num')::int / 10000`,
  );
  return Number(version);
}
