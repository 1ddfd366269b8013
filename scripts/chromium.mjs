// A Chromium for tests, where the system has none: Debian's package, unpacked without root into
// node_modules/.cache/chromium.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { unpackDebian, works } from './debian.mjs';

const folder = resolve('node_modules/.cache/chromium');

const programs = [
  'chromium',
  'chromium-browser',
  'google-chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

export function findChromium() {
  const named = process.env.CHROMIUM;
  if ((named ? [named] : programs).some(works) || existsSync(join(folder, 'root'))) return;
  try {
    if (named) throw new Error(`CHROMIUM=${named} does not run`);
    console.log('No Chromium here: taking Debian’s into node_modules/.cache/chromium (once)…');
    unpackDebian(folder, 'chromium');
  } catch (error) {
    // Whatever needs none goes on; the tests that do need one fail and say the same.
    console.error(`
There is no Chromium: ${error.message}.
Tests that need one will fail. Any of these helps:
  Debian: apt-get install chromium
  macOS: brew install --cask chromium
  another place: CHROMIUM=/path/to/chromium (or Chrome)
`);
  }
}
