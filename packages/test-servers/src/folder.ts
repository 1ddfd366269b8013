import { chown, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { identity } from './identity.ts';

/** A folder of one's own, which belongs to who runs servers that refuse root. */
export async function ownFolder(prefix: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), prefix));
  await lend(folder);
  return folder;
}

/** A file that belongs to the same. */
export async function ownFile(path: string, text: string): Promise<void> {
  await writeFile(path, text);
  await lend(path);
}

async function lend(path: string): Promise<void> {
  const { uid, gid } = identity;
  if (uid !== undefined && gid !== undefined) await chown(path, uid, gid);
}
