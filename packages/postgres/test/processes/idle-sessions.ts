import type { Database } from './database.ts';

/** PostgreSQL 13 has no timeout for idle sessions. */
export async function limitIdleSessions(database: Database): Promise<void> {
  const sql = `SELECT 1 FROM pg_settings WHERE name = 'idle_session_timeout'`;
  if ((await database.ask(sql)) === undefined) return;
  await database.rows(`ALTER ROLE postgres SET idle_session_timeout = '700ms'`);
}
