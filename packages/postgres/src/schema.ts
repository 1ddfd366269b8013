/** Quotes a name as PostgreSQL reads it. */
export function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Microseconds since 1970 at the moment at which it is evaluated: after a lock was waited for, not before. */
export const now =
  "(pg_catalog.date_part('epoch', pg_catalog.clock_timestamp()) * 1000000)::bigint";
