// Whether a program starts.
import { spawnSync } from 'node:child_process';
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
async function whyChromiumFails(executablePath, env) {
  // Only now, since the packages may have just been installed.
  const { chromium } = await import('playwright-core');
  try {
    const browser = await chromium.launch({ executablePath, env, timeout: 20_000 });
    await browser.close();
    return undefined;
  } catch (error) {
    // The log repeats what the browser has printed.
    return error.message.split('\nCall log:')[0];
  }
}
