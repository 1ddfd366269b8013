// A Chromium and a curl for tests, where the system has none: Debian's packages, unpacked without root into
// node_modules/.cache.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { unpackDebian, works } from './debian.mjs';

export function findChromium() {
  const programs = [
    'chromium',
    'chromium-browser',
    'google-chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  ];
  find('chromium', programs, 'brew install --cask chromium', process.env.CHROMIUM);
}

export function findCurl() {
  find('curl', ['curl'], 'brew install curl');
}

function find(name, usual, fix, named) {
  const folder = resolve('node_modules/.cache', name);
  if ((named ? [named] : usual).some(works) || existsSync(join(folder, 'root'))) return;
  try {
    if (named) throw new Error(`${named} does not run`);
    console.log(`No ${name} here: taking Debian’s into ${folder} (once)…`);
    unpackDebian(folder, name);
  } catch (error) {
    // Whatever needs none goes on; the tests that do need one fail and say the same.
    console.error(`
There is no ${name}: ${error.message}.
Tests that need one will fail. Any of these helps:
  Debian, Ubuntu: apt-get install ${name}
  macOS: ${fix}
  a Chromium or Chrome in another place: CHROMIUM=/path/to/it
`);
  }
}
