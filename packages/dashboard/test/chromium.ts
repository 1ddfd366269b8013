import { findProgram } from '@headgate/test-servers';
import { type Browser, chromium } from 'playwright-core';

/** Launches a headless Chromium. */
export function launchChromium(): Promise<Browser> {
  const { path, env } = findProgram('chromium');
  return chromium.launch({
    executablePath: path,
    env: { ...process.env, ...env } as Record<string, string>,
  });
}
