// Whether a program starts.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unprivileged } from './cache.mjs';

/** Resolves with the reason why the program does not start, or undefined if it starts. */
export async function whyItFails(
  name,
  { path, env },
  { refusesRoot = false, version = '--version' } = {},
) {
  const options = {
    env: { ...process.env, ...env },
    encoding: 'utf8',
    timeout: 20_000,
    ...(refusesRoot ? unprivileged : {}),
  };
  const { status, stderr, error } = spawnSync(path, [version], options);
  if (status !== 0) return error?.message ?? (stderr.trim() || `it ended with ${status}`);
  return name === 'chromium' ? whyChromiumFails(path, options.env) : undefined;
}

/** A browser that prints its version may still fail to open a window. */
async function whyChromiumFails(path, env) {
  const folder = mkdtempSync(join(tmpdir(), 'headgate-chromium-'));
  const quiet = ['--disable-gpu', '--disable-background-networking', '--no-first-run'];
  const args = ['--headless', '--no-sandbox', ...quiet, '--remote-debugging-port=0'];
  const child = spawn(path, [...args, `--user-data-dir=${folder}`, 'about:blank'], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  const closed = new Promise((resolve) => child.once('close', resolve));
  const starts = await new Promise((resolve) => {
    const timer = setTimeout(resolve, 20_000, false);
    closed.then(() => resolve(false)).finally(() => clearTimeout(timer));
    child.once('error', (error) => {
      output = error.message;
      resolve(false);
    });
    child.stderr.setEncoding('utf8').on('data', (text) => {
      output += text;
      if (output.includes('DevTools listening on')) resolve(true);
    });
  });
  child.kill('SIGKILL');
  await closed;
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  return starts ? undefined : output.trim() || 'it does not answer within 20 s';
}
