// npm run bench|simulate|chaos|fuzz|compat|pack|docs -- <subcommand> [arguments]: sets up what the subcommand needs, then runs it.
import { spawn } from 'node:child_process';
import { commands, find } from './commands.mjs';

const [command, ...words] = process.argv.slice(2);

function usage() {
  const names = Object.keys(commands[command]);
  const width = Math.max(...names.map((name) => name.length));
  const lines = names.map(
    (name) => `  ${name.padEnd(width)}  ${commands[command][name].description}`,
  );
  return `Usage: npm run ${command} -- <subcommand> [arguments]\n\n${lines.join('\n')}`;
}

let child;
// A terminal sends SIGINT to the child as well, which may have processes to end.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => child?.kill());

/** Runs a JavaScript file; resolves with its exit code. */
function run(args) {
  child = spawn(process.execPath, args, { stdio: 'inherit' });
  return new Promise((resolve) => child.on('close', (code) => resolve(code ?? 1)));
}

const found = find(command, words);
if (found === undefined) {
  console.error(usage());
  process.exit(2);
}

const { programs = [], build, run: main, count } = found;
const steps = [['scripts/bootstrap.mjs', ...programs]];
if (build !== undefined)
  steps.push(['node_modules/typescript/bin/tsc', '-b', ...build], ['scripts/bundle.mjs']);
steps.push([...main, ...words.slice(count)]);
for (const step of steps) {
  process.exitCode = await run(step);
  if (process.exitCode !== 0) break;
}
