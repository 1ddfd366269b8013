// Runs each program in examples/: they check the examples in its folders.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';

const timeout = 300_000;
const examples = readdirSync('examples').filter((file) => file.endsWith('.ts'));

const broken = examples.filter((file) => {
  const started = Date.now();
  const { status, error } = spawnSync(
    process.execPath,
    ['--conditions=headgate-source', '--import=tsx', `examples/${file}`],
    { stdio: ['ignore', 'inherit', 'inherit'], timeout, killSignal: 'SIGKILL' },
  );
  const how = status === 0 ? 'ok' : `FAILED (${error?.message ?? `exit ${status}`})`;
  console.log(`${how}  ${file}  ${((Date.now() - started) / 1000).toFixed(1)} s`);
  return status !== 0;
});

console.log(`${examples.length - broken.length} of ${examples.length} examples ran`);
if (broken.length > 0) process.exitCode = 1;
