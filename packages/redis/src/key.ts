import { createHash } from 'node:crypto';
import type { LimitName } from '@headgate/core/shared';

/** Bytes; a longer one is replaced by its hash, so that what a client may have made up costs no memory. */
const longest = 100;

/**
 * The Redis key of a limit, or of one key of it. A single one, whose braces keep it in one slot of a cluster whatever
 * the name is; different for each name and key.
 */
export function redisKey(prefix: string, { name, key }: LimitName): string {
  const own = key === undefined ? escaped(name) : `${escaped(name)}:${escaped(key)}`;
  if (Buffer.byteLength(own) <= longest) return `${prefix}{${own}}`;
  // A percent sign and a letter beyond f: no escaped text has them.
  return `${prefix}{%s${createHash('sha256').update(own).digest('hex')}}`;
}

/** What would end a hash tag or the name, and halves of characters, which all look the same in UTF-8. */
function escaped(text: string): string {
  return text.replace(/[%:{}\p{Surrogate}]/gu, (one) => `%${one.charCodeAt(0).toString(16)}`);
}
