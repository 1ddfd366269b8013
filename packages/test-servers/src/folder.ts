import { chown, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { identity } from './identity.ts';

/** A folder of one's own, which belongs to who runs servers that refuse root. */
export async function ownFolder(prefix: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), prefix));
  const { uid, gid } = identity;
  if (uid !== undefined && gid !== undefined) await chown(folder, uid, gid);
  return folder;
}
