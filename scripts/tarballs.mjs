// What a release would upload: every public package, packed into out/tarballs.
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pnpm } from './pnpm.mjs';

const folder = resolve('out/tarballs');

export function pack() {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  pnpm(['--filter=./packages/*', 'pack', `--pack-destination=${folder}`], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return readdirSync(folder).map((file) => join(folder, file));
}

export const manifest = (name) => JSON.parse(readFileSync(`packages/${name}/package.json`, 'utf8'));
