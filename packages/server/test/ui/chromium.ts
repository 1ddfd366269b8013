import { type Browser, chromium } from 'playwright-core';
import { findProgram } from '../../../../internal/test-servers/src/programs.ts';

/** Launches a headless Chromium. */
export function launchChromium(): Promise<Browser> {
  const { path, env } = findProgram('chromium');
  return chromium.launch({
    executablePath: path,
    env: { ...process.env, ...env } as Record<string, string>,
  });
}
