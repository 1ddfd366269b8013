// The pinned pnpm, through npx, so that it need not be on PATH.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const { packageManager } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
);

export function pnpm(args, options = {}) {
  execFileSync('npx', ['-y', packageManager, ...args], {
    stdio: 'inherit',
    shell: process.platform === 'win32',
    ...options,
  });
}
