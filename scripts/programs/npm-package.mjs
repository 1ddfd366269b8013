// Programs from npm packages, without running install scripts: downloaded by name and version, and compared with the
// hash in npm-packages.json.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './run.mjs';

const integrities = JSON.parse(readFileSync(new URL('npm-packages.json', import.meta.url), 'utf8'));

/** Whether the package supports this platform: only then it has a hash. */
export function isPinned(id) {
  return id in integrities;
}

/** Unpacks the package into `folder`. */
export function fetchPackage(id, folder) {
  mkdirSync(folder, { recursive: true });
  const args = ['pack', id, '--json', '--silent', `--pack-destination=${folder}`];
  const [{ filename, integrity }] = JSON.parse(execFileSync('npm', args, { encoding: 'utf8' }));
  if (integrity !== integrities[id])
    throw new Error(`${id} has the hash ${integrity}, but ${integrities[id]} is expected`);
  const archive = join(folder, filename);
  run('tar', ['-xzf', archive, '-C', folder, '--strip-components=1', '--no-same-owner']);
}
