// The packages that a release publishes, and their manifests.
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

/** The folders of the packages, such as `packages/core`. */
export const publicPackages = readdirSync(join(root, 'packages'))
  .map((name) => `packages/${name}`)
  .filter((folder) => !manifestOf(folder).private);

/** The package.json in a folder: of the repository, or with an absolute path. */
export function manifestOf(folder) {
  return JSON.parse(readFileSync(resolve(root, folder, 'package.json'), 'utf8'));
}
