import { type SpawnSyncOptions, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A program, and what it needs in its environment. */
export interface Binary {
  readonly path: string;
  readonly env: NodeJS.ProcessEnv;
}

/** The first that runs, for who is to run it: one of these, or what the bootstrap script has unpacked. */
export function findBinary(
  paths: readonly string[],
  cached: Binary | undefined,
  identity: SpawnSyncOptions = {},
): Binary | undefined {
  const known = paths.map((path) => ({ path, env: process.env }));
  return [...known, ...(cached === undefined ? [] : [cached])].find(({ path, env }) => {
    const options = { env, stdio: 'ignore', ...identity } as const;
    return spawnSync(path, ['--version'], options).status === 0;
  });
}

/** What the bootstrap script has unpacked, whether this file runs from `src` or from `dist`. */
export function unpacked(name: string): string | undefined {
  const repository = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))));
  const root = join(repository, 'node_modules/.cache', name, 'root');
  return existsSync(root) ? root : undefined;
}

/** A program of a package that was unpacked there. */
export function binaryIn(root: string, path: string): Binary {
  const { env } = process;
  // Where Debian keeps its libraries, which the package's own are beside.
  const folders = ['x86_64-linux-gnu', 'aarch64-linux-gnu'].map((cpu) =>
    join(root, 'usr/lib', cpu),
  );
  const LD_LIBRARY_PATH = [...folders, env.LD_LIBRARY_PATH ?? ''].filter(Boolean).join(':');
  return { path: join(root, path), env: { ...env, LD_LIBRARY_PATH } };
}
