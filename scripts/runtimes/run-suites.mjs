import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { idOf } from './runtimes.mjs';
import { suitesOf } from './suites.mjs';

/** Longer than the tests take on a busy machine, so that a runtime which hangs still fails. */
const TIMEOUT_MS = 300_000;

/**
 * Runs all suites on a runtime, and resolves with each suite's results.
 *
 * @param project The folder of the project.
 */
export async function runSuites(runtime, path, project) {
  const suites = suitesOf(runtime);
  const file = join(project, `results-${idOf(runtime)}.json`);
  const env = {
    ...process.env,
    HEADGATE_SUITES: JSON.stringify(suites),
    HEADGATE_RESULTS: file,
    HEADGATE_PROGRAMS: resolve('node_modules/.cache/headgate/programs.json'),
    DENO_DIR: join(project, '.deno'),
  };
  const vitest = join(project, 'node_modules/vitest/vitest.mjs');
  const output = await run(path, [...runtime.args, vitest, 'run'], { cwd: project, env });
  // Without results, each suite counts as failed.
  if (!existsSync(file)) console.log(`${idOf(runtime)} wrote no results:\n${output}`);
  const results = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : [];
  return suites.map((suite, number) => ({
    suite,
    results: results.filter(({ file }) =>
      // What happens outside of tests, such as the end of a worker, has no file.
      file === '' ? number === 0 : hasFile(suite, file),
    ),
  }));
}

/** Suites of one runtime have files of different packages. */
function hasFile({ files = [], isolated = [] }, file) {
  const folders = [...files, ...isolated].map((path) => path.slice(0, path.indexOf('/test/')));
  return folders.some((folder) => file.startsWith(`${folder}/`));
}

/** Resolves with the output, whatever the exit code. */
function run(command, args, options) {
  const child = spawn(command, args, {
    ...options,
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own, so that its workers end with it.
    detached: true,
  });
  const timer = setTimeout(() => process.kill(-child.pid, 'SIGKILL'), TIMEOUT_MS);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  return new Promise((done, failed) => {
    child.once('error', failed);
    child.once('close', () => {
      clearTimeout(timer);
      done(output);
    });
  });
}
