import { createHash } from 'node:crypto';
import type { LimitName } from '@headgate/core/shared';

/** What a limit, or one key of it, is known by in the database. */
export interface Address {
  /** As long as any other, whatever a client may have made up for a key; different for each name and key. */
  readonly hash: string;
  /** The name and key to be read, in letters that any database can keep. */
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

/** Undefined where it is no label. */
export function refOf(label: string): LimitName | undefined {
  try {
    const [name, key] = JSON.parse(label) as [string, string?];
    return { name, key };
  } catch {
    return undefined;
  }
}
