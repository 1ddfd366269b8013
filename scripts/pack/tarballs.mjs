// The files that a release would upload: every public package, packed into out/tarballs.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { publicPackages } from '../packages.mjs';
import { pnpm } from '../pnpm.mjs';

const folder = resolve('out/tarballs');

export function pack() {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const filters = publicPackages.map((path) => `--filter=./${path}`);
  pnpm([...filters, 'pack', `--pack-destination=${folder}`], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return packed();
}

/** Those that `pack()` has left there. */
export function packed() {
  return readdirSync(folder).map((file) => join(folder, file));
}

/** The package.json that npm would publish. */
export function manifestIn(tarball) {
  const text = execFileSync('tar', ['-xzOf', tarball, 'package/package.json'], {
    encoding: 'utf8',
  });
  return JSON.parse(text);
}

/** The tarballs of the packages that others of them depend on, by name: the registry does not have them yet. */
export function resolutionsFor(tarballs) {
  const packages = tarballs.map((path) => ({ path, ...manifestIn(path) }));
  const needed = packages.flatMap(({ dependencies, peerDependencies }) =>
    Object.keys({ ...dependencies, ...peerDependencies }),
  );
  const others = packages.filter(({ name }) => needed.includes(name));
  return Object.fromEntries(others.map(({ name, path }) => [name, `file:${path}`]));
}
