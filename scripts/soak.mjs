// npm run fuzz -- properties [seconds]: runs the property tests for this many seconds (default: 60).
import { spawnSync } from 'node:child_process';

const seconds = Number(process.argv[2] ?? 60);
if (!(seconds > 0)) {
  console.error('Usage: npm run fuzz -- properties <seconds>');
  process.exit(2);
}

const { status } = spawnSync(
  process.execPath,
  ['node_modules/vitest/vitest.mjs', 'run', '--testTimeout=0', 'property', 'soak'],
  { stdio: 'inherit', env: { ...process.env, HEADGATE_SOAK_SECONDS: String(seconds) } },
);
process.exitCode = status ?? 1;
