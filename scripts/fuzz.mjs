// npm run fuzz -- http [requests] [--seed n]: sends this many mutated requests to the HTTP service (default: 100,000).
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: 'string' } },
});
const env = { ...process.env, HEADGATE_FUZZ_REQUESTS: positionals[0] ?? '100000' };
if (values.seed !== undefined) env.HEADGATE_FUZZ_SEED = values.seed;
const { status } = spawnSync(
  process.execPath,
  ['node_modules/vitest/vitest.mjs', 'run', 'packages/server/test/fuzz'],
  { stdio: 'inherit', env },
);
process.exitCode = status ?? 1;
