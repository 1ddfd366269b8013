// The pinned pnpm, through npx, so that it need not be on PATH.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const { packageManager } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
);

export function pnpm(args, options = {}) {
  const { error, status } = spawnSync('npx', ['-y', packageManager, ...args], {
    stdio: 'inherit',
    shell: process.platform === 'win32',
    ...options,
  });
  if (status !== 0) throw new Error(`pnpm ${args.join(' ')}: ${error ?? `exit ${status}`}`);
}
