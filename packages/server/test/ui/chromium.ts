import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import {
  type Binary,
  binaryIn,
  findBinary,
  installed,
  unpacked,
} from '../../../test-servers/src/binary.ts';

/** A browser without a window, as it is installed here. */
export function launchChromium(): Promise<Browser> {
  const binary = findBinary(binaries());
  if (binary === undefined) {
    throw new Error(
      'There is no Chromium. Put chromium or google-chrome on PATH, name one in CHROMIUM, or, on Debian, run: ' +
        'npm run bootstrap -- --tools',
    );
  }
  const env = binary.env as Record<string, string>;
  return chromium.launch({ executablePath: binary.path, env });
}

function binaries(): Binary[] {
  const { CHROMIUM } = process.env;
  if (CHROMIUM) return [installed(CHROMIUM)];
  const names = [
    'chromium',
    'chromium-browser',
    'google-chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  ];
  return [
    ...names.map((name) => installed(onPath(name))),
    ...unpacked('chromium').map((root) => binaryIn(root, 'usr/lib/chromium/chromium')),
  ];
}

/** Playwright does not look there itself. */
function onPath(name: string): string {
  const folders = (process.env.PATH ?? '').split(':');
  return folders.map((folder) => join(folder, name)).find(existsSync) ?? name;
}
