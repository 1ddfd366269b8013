import { createHash } from 'node:crypto';
import type { LimitName } from '@headgate/store-kit';

/** Maximum length in bytes. A longer key is replaced by its hash, so that keys made up by clients use little memory. */
const MAX_KEY_BYTES = 100;

/**
 * The Redis key of a limit, or of one key of it. It is different for each name and key. The braces (a hash tag) make
 * its slot in a cluster independent of the prefix.
 */
export function redisKey(prefix: string, { name, key }: LimitName): string {
  const own = key === undefined ? escaped(name) : `${escaped(name)}:${escaped(key)}`;
  if (Buffer.byteLength(own) <= MAX_KEY_BYTES) return `${prefix}{${own}}`;
  // In escaped text, a percent sign is never followed by `s`. So the hash collides with no name.
  return `${prefix}{%s${createHash('sha256').update(own).digest('hex')}}`;
}

/** Escapes the delimiters, and lone surrogates, which are all encoded alike in UTF-8. */
function escaped(text: string): string {
  return text.replace(/[%:{}\p{Surrogate}]/gu, (one) => `%${one.charCodeAt(0).toString(16)}`);
}
