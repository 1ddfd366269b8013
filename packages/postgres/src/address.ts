import { createHash } from 'node:crypto';
import type { LimitName } from '@headgate/store-kit';

/** Identifies a limit, or one key of it, in the database. */
export interface Address {
  /**
   * Has the same length for every name and key, even if a client has made up a long key. Different for each of them.
   */
  readonly hash: string;
  /** The name and key in readable form, in ASCII, which every database encoding can store. */
  readonly label: string;
}

export function addressOf({ name, key }: LimitName): Address {
  const json = JSON.stringify(key === undefined ? [name] : [name, key]);
  const label = json.replace(/[^\x20-\x7e]/g, escaped);
  return { hash: createHash('sha256').update(label).digest('base64url'), label };
}

function escaped(one: string): string {
  return `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Undefined if `label` is not a valid label. */
export function refOf(label: string): LimitName | undefined {
  try {
    const [name, key] = JSON.parse(label) as [string, string?];
    return { name, key };
  } catch {
    return undefined;
  }
}
