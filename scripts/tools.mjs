// A Chromium and a curl for tests, where the system has none: Debian's packages, unpacked without root into
// node_modules/.cache.
import { resolve } from 'node:path';
import { findProgram } from './debian.mjs';

const chromiums = [
  'chromium',
  'chromium-browser',
  'google-chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

export function findChromium() {
  const named = process.env.CHROMIUM;
  findProgram('chromium', {
    usual: named ? [named] : chromiums,
    folder: resolve('node_modules/.cache/chromium'),
    // The second has what the first cannot start without, and may be installed where the first is not found.
    names: ['chromium', 'chromium-common'],
    wrong: named && `CHROMIUM=${named} does not run`,
    macOS: 'brew install --cask chromium',
    elsewhere: 'CHROMIUM=/path/to/a/Chromium/or/Chrome',
  });
}

export function findCurl() {
  findProgram('curl', {
    usual: ['curl'],
    folder: resolve('node_modules/.cache/curl'),
    macOS: 'brew install curl',
  });
}
