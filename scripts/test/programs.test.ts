import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { readPrograms } from '../programs/cache.mjs';
import { findLibraries } from '../programs/libraries.mjs';
import { preparePrograms } from '../programs/programs.mjs';

interface Unpacked {
  readonly name: string;
  readonly path: string;
  readonly root: string;
}

const unpacked = Object.entries<Omit<Unpacked, 'name'>>(readPrograms()).flatMap(
  ([name, program]) => (program.root === undefined ? [] : [{ name, ...program }]),
);

const copies: string[] = [];
afterEach(() => {
  vi.unstubAllEnvs();
  for (const copy of copies.splice(0)) rmSync(copy, { recursive: true, force: true });
});

/** The same folder, consisting of links to the same files. */
function copyOf(root: string): string {
  const copy = mkdtempSync(`${root}-copy-`);
  copies.push(copy);
  execFileSync('cp', ['-R', '-P', '-l', `${root}/.`, copy]);
  return copy;
}

/** On other systems the package manager provides the programs. */
const onLinux = process.platform === 'linux' ? unpacked : [];

describe.each(onLinux)('$name', ({ name, path, root }) => {
  test('loads only libraries in its own folder, and libc', () => {
    expect(findLibraries(path, root)).toMatchObject({ missing: [] });
  });

  test('reports missing libraries when a folder of them is removed, even if the system has them', () => {
    const { folders } = findLibraries(path, root);
    // Prometheus is linked statically.
    expect(folders.length === 0).toBe(name === 'prometheus');
    for (const folder of folders) {
      const copy = copyOf(root);
      rmSync(join(copy, relative(root, folder)), { recursive: true });
      const { missing } = findLibraries(join(copy, relative(root, path)), copy);
      expect(missing, folder).not.toEqual([]);
    }
  });
});

test('programs that do not start are reported together, each with the reason and a solution', async () => {
  vi.stubEnv('REDIS_SERVER', '/no/redis-server');
  vi.stubEnv('CURL', process.execPath.replace(/[^/]*$/, 'no-curl'));
  const preparing = preparePrograms(['redis-server', 'curl']);
  await expect(preparing).rejects.toThrow(
    /redis-server: \/no\/redis-server does not start: .*ENOENT/,
  );
  await expect(preparing).rejects.toThrow(/macOS: brew install redis/);
  await expect(preparing).rejects.toThrow(/curl: .*no-curl does not start/);
});

test('a program that ends with an error when started is not used', async () => {
  vi.stubEnv('REDIS_SERVER', '/usr/bin/false');
  await expect(preparePrograms(['redis-server'])).rejects.toThrow(
    /\/usr\/bin\/false does not start: it ended with 1/,
  );
});
