/**
 * What the store's connections rely on, whatever the role or the database is set to. A commit does not wait for the
 * disk: a crash may forget the latest leases, which are registered again with their next renewal.
 */
export function sessionSettings(timeout: number): string {
  const settings = {
    default_transaction_isolation: 'read committed',
    default_transaction_read_only: 'off',
    synchronous_commit: 'off',
    statement_timeout: `${Math.ceil(timeout)}`,
    lock_timeout: '0',
    idle_in_transaction_session_timeout: '0',
    search_path: 'pg_catalog',
    jit: 'off',
  };
  const all = Object.entries(settings).map(
    ([name, value]) => `set_config('${name}', '${value}', false)`,
  );
  // PostgreSQL 13 has no such setting.
  const idle = `CASE WHEN current_setting('idle_session_timeout', true) <> '' THEN set_config('idle_session_timeout', '0', false) END`;
  return `SELECT ${[...all, idle].join(', ')}`;
}
