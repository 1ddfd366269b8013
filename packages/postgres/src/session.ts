/**
 * The session settings that the store relies on, whatever the defaults of the role or the database. Commits do not wait
 * for the disk: a crash may lose the latest leases, which are registered again with their next renewal.
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
    array_nulls: 'on',
    jit: 'off',
  };
  const all = Object.entries(settings).map(
    ([name, value]) => `set_config('${name}', '${value}', false)`,
  );
  const newer = ['idle_session_timeout', 'transaction_timeout'].map((name) => ifKnown(name, '0'));
  return `SELECT ${[...all, ...newer].join(', ')}`;
}

/** Sets a parameter that only newer servers have. If `isLocal`, only for the transaction. */
export function ifKnown(name: string, value: string, isLocal = false): string {
  return `CASE WHEN pg_catalog.current_setting('${name}', true) <> '' THEN pg_catalog.set_config('${name}', '${value}', ${isLocal}) END`;
}
