import { chown, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { identity } from './identity.ts';

/** Creates a folder for servers that refuse to run as root. It is owned by the user that runs them. */
export async function ownFolder(prefix: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), prefix));
  await lend(folder);
  return folder;
}

/** Writes a file with the same owner as such a folder. */
export async function ownFile(path: string, text: string): Promise<void> {
  await writeFile(path, text);
  await lend(path);
}

async function lend(path: string): Promise<void> {
  const { uid, gid } = identity;
  if (uid !== undefined && gid !== undefined) await chown(path, uid, gid);
}
