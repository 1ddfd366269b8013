import { spawnSync } from 'node:child_process';

/** Runs a command to its end and shows its stderr. */
export function run(command, args, options = {}) {
  const { status, error } = spawnSync(command, args, {
    stdio: ['ignore', 'ignore', 'inherit'],
    ...options,
  });
  if (status !== 0) throw new Error(`${command} failed: ${error?.message ?? `exit ${status}`}`);
}
