import { invalid } from '@headgate/core/shared';

/** Bytes that PostgreSQL keeps of a name. */
const longest = 63;

/** @throws HeadgateError where it is no name that PostgreSQL keeps as it is. */
export function checkSchema(schema: unknown): string {
  const isName = typeof schema === 'string' && schema !== '' && !schema.includes('\0');
  if (isName && Buffer.byteLength(schema) <= longest) return schema;
  throw invalid('schema', `a name of 1 to ${longest} bytes`, schema);
}

/** Quotes a name for PostgreSQL, without a dollar in it: what ends a function's body could be a part of the name. */
export function identifier(name: string): string {
  const quoted = name.replaceAll('"', '""');
  if (!name.includes('$')) return `"${quoted}"`;
  return `U&"${quoted.replaceAll('\\', '\\\\').replaceAll('$', '\\0024')}"`;
}

/** Microseconds since 1970 at the moment at which it is evaluated: after a lock was waited for, not before. */
export const now =
  "(pg_catalog.date_part('epoch', pg_catalog.clock_timestamp()) * 1000000)::bigint";

/** The same of the moment at which the statement came: one value, however often the statement uses it. */
export const asked =
  "(pg_catalog.date_part('epoch', pg_catalog.statement_timestamp()) * 1000000)::bigint";
