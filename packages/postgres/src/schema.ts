import { invalid } from '@headgate/core/options';

/** Maximum length of a name in PostgreSQL, in bytes. */
const MAX_NAME_BYTES = 63;

/** @throws HeadgateError for a name that PostgreSQL would change or reject. */
export function checkSchema(schema: unknown): string {
  const isName = typeof schema === 'string' && schema !== '' && !schema.includes('\0');
  if (isName && Buffer.byteLength(schema) <= MAX_NAME_BYTES) return schema;
  throw invalid('schema', `a name of 1 to ${MAX_NAME_BYTES} bytes`, schema);
}

/**
 * Quotes a name for PostgreSQL. Also escapes dollar signs, because the name could contain the delimiter that ends a
 * function's body.
 */
export function identifier(name: string): string {
  const quoted = name.replaceAll('"', '""');
  if (!name.includes('$')) return `"${quoted}"`;
  return `U&"${escaped(quoted)}"`;
}

/** Quotes a text for PostgreSQL in the same way. */
export function literal(text: string): string {
  const quoted = text.replaceAll("'", "''");
  if (!/[$\\]/.test(text)) return `'${quoted}'`;
  return `U&'${escaped(quoted)}'`;
}

/** Escapes dollar signs in a quoted text that begins with U&. */
function escaped(quoted: string): string {
  return quoted.replaceAll('\\', '\\\\').replaceAll('$', '\\0024');
}

/** Microseconds since 1970 when the expression is evaluated, and so after a wait for a lock. */
export const now =
  "(pg_catalog.date_part('epoch', pg_catalog.clock_timestamp()) * 1000000)::bigint";

/** Microseconds since 1970 when the statement arrived. The value is the same everywhere in the statement. */
export const asked =
  "(pg_catalog.date_part('epoch', pg_catalog.statement_timestamp()) * 1000000)::bigint";
