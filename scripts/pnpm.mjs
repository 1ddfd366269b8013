// The pinned pnpm, through npx, so that it need not be on PATH.
import { execFileSync } from 'node:child_process';
import { manifestOf } from './packages.mjs';

export const { packageManager } = manifestOf('.');

export function pnpm(args, options = {}) {
  execFileSync('npx', ['-y', packageManager, ...args], {
    stdio: 'inherit',
    shell: process.platform === 'win32',
    ...options,
  });
}
