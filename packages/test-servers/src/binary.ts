import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A program that is a Redis server, and what it needs in its environment. */
interface Binary {
  readonly path: string;
  readonly env: NodeJS.ProcessEnv;
}

let found: Binary | undefined;

/** @throws Error that names the fix where there is none. */
export function redisBinary(): Binary {
  found ??= candidates().find(runs);
  if (found !== undefined) return found;
  throw new Error(
    'There is no Redis server. Put redis-server or valkey-server on PATH (macOS: brew install redis), name one in ' +
      'REDIS_SERVER, or, on Debian and Ubuntu, run: npm run bootstrap -- --redis',
  );
}

function candidates(): Binary[] {
  const { env } = process;
  const named = env.REDIS_SERVER ? [env.REDIS_SERVER] : ['redis-server', 'valkey-server'];
  const binaries = named.map((path) => ({ path, env }));
  const root = cached();
  if (root === undefined || env.REDIS_SERVER) return binaries;
  // Where Debian keeps its libraries, which the package's own are beside.
  const folders = ['x86_64-linux-gnu', 'aarch64-linux-gnu'].map((cpu) =>
    join(root, 'usr/lib', cpu),
  );
  const LD_LIBRARY_PATH = [...folders, env.LD_LIBRARY_PATH ?? ''].filter(Boolean).join(':');
  return [
    ...binaries,
    { path: join(root, 'usr/bin/redis-server'), env: { ...env, LD_LIBRARY_PATH } },
  ];
}

/** Where the bootstrap script has put it, whether this file runs from `src` or from `dist`. */
function cached(): string | undefined {
  const repository = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))));
  const root = join(repository, 'node_modules/.cache/redis/root');
  return existsSync(root) ? root : undefined;
}

function runs({ path, env }: Binary): boolean {
  return spawnSync(path, ['--version'], { env, stdio: 'ignore' }).status === 0;
}
