// Runs commands.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';

/** Runs a command in a shell. Resolves with its exit code and its output, which it also shows at once if `isShown`. */
export async function execute(command, { isShown = false, ...options } = {}) {
  const child = spawn(command, { shell: true, stdio: ['ignore', 'pipe', 'pipe'], ...options });
  let output = '';
  for (const stream of ['stdout', 'stderr']) {
    child[stream]?.setEncoding('utf8').on('data', (text) => {
      output += text;
      if (isShown) process[stream].write(text);
    });
  }
  const [status] = await once(child, 'close');
  return { status, output };
}

/**
 * Runs a command and prints it with its output and its time at the end.
 *
 * @throws Error if it fails.
 */
export async function run(words, options = {}) {
  const command = words.join(' ');
  const started = Date.now();
  const { status, output } = await execute(command, options);
  const seconds = ((Date.now() - started) / 1_000).toFixed(1);
  console.log(`$ ${command} (${seconds} s)\n${output}`);
  if (status !== 0) throw new Error(`${command}: exit ${status}`);
}

/** Waits for all even if one fails, because running commands need their files. */
export async function all(promises) {
  const results = await Promise.allSettled(promises);
  const failed = results.find(({ status }) => status === 'rejected');
  if (failed) throw failed.reason;
}

/** Calls `task` with each item, for as many items at a time as there are processors. Fails after the last one. */
export async function eachInParallel(items, task) {
  const queue = [...items];
  const workNext = async () => {
    const failures = [];
    for (let item = queue.shift(); item !== undefined; item = queue.shift())
      await task(item).catch((error) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  };
  await all(Array.from({ length: availableParallelism() }, workNext));
}
