import { type SpawnSyncOptions, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A program, and what it needs in its environment. */
export interface Binary {
  readonly path: string;
  readonly env: NodeJS.ProcessEnv;
}

/** The first that runs, for who is to run it. */
export function findBinary(
  binaries: readonly Binary[],
  identity: SpawnSyncOptions = {},
): Binary | undefined {
  return binaries.find(({ path, env }) => {
    const options = { env, stdio: 'ignore', ...identity } as const;
    return spawnSync(path, ['--version'], options).status === 0;
  });
}

/** A program of the system's. */
export function installed(path: string): Binary {
  return { path, env: process.env };
}

/** What the bootstrap script has unpacked, whether this file runs from `src` or from `dist`. */
export function unpacked(name: string): string[] {
  const repository = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))));
  const caches = [join(repository, 'node_modules/.cache'), '/var/cache/headgate'];
  return caches.map((cache) => join(cache, name, 'root')).filter((root) => existsSync(root));
}

/** A program of a package that was unpacked there. */
export function binaryIn(root: string, path: string): Binary {
  const { env } = process;
  // Where Debian keeps its libraries, which the package's own are beside.
  const folders = ['x86_64-linux-gnu', 'aarch64-linux-gnu'].flatMap((cpu) => [
    join(root, 'usr/lib', cpu),
    join(root, 'lib', cpu),
  ]);
  const LD_LIBRARY_PATH = [...folders, env.LD_LIBRARY_PATH ?? ''].filter(Boolean).join(':');
  return { path: join(root, path), env: { ...env, LD_LIBRARY_PATH } };
}
