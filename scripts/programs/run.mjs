import { execFileSync } from 'node:child_process';

/** Runs a command to its end, and shows its stderr. Throws if it fails. */
export function run(command, args, options = {}) {
  execFileSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'], ...options });
}
