// Programs from npm packages, without running install scripts: downloaded by name and version, and compared with the
// hash in npm-packages.json.
import { spawnSync } from 'node:child_process';
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
  const { status, stdout, error } = spawnSync('npm', args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (status !== 0) throw new Error(`npm pack ${id} failed: ${error?.message ?? `exit ${status}`}`);
  const [{ filename, integrity }] = JSON.parse(stdout);
  if (integrity !== integrities[id])
    throw new Error(`${id} has the hash ${integrity}, but ${integrities[id]} is expected`);
  run('tar', [
    '-xzf',
    join(folder, filename),
    '-C',
    folder,
    '--strip-components=1',
    '--no-same-owner',
  ]);
}
