// The files that a release would upload: every public package, packed into out/tarballs.
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pnpm } from './pnpm.mjs';

const folder = resolve('out/tarballs');

export function pack() {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const released = readdirSync('packages').filter((name) => !manifest(name).private);
  const filters = released.map((name) => `--filter=./packages/${name}`);
  pnpm([...filters, 'pack', `--pack-destination=${folder}`], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return readdirSync(folder).map((file) => join(folder, file));
}

export const manifest = (name) => JSON.parse(readFileSync(`packages/${name}/package.json`, 'utf8'));
