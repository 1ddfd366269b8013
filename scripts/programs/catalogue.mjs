// The programs that tests, benchmarks and examples start, and their possible sources, in this order: the path in an
// environment variable; a pinned npm package; an installed program; Debian's or Ubuntu's packages.
import { join } from 'node:path';
import { chromiumPackage } from './chromium.mjs';
import { postgresPackage } from './postgres.mjs';

/**
 * @typedef {object} NpmPackage
 * @property {string} id the package and its version: its hash is in npm-packages.json
 * @property {(folder: string) => void} prepare makes the unpacked package usable
 * @property {readonly string[]} paths the program in it, and those that belong to it
 * @property {(root: string) => Record<string, string>} [env] what the program needs in addition to its libraries
 *
 * @typedef {object} Entry
 * @property {string} variable the environment variable that names another program
 * @property {(value: string) => string} [named] the program's path, where the variable names its folder
 * @property {NpmPackage} [npm] for the platforms that have one
 * @property {readonly string[]} installed its names on PATH, and where else systems keep it
 * @property {{ packages: readonly string[], path: string }} [debian]
 * @property {string} [version] the argument that prints its version, instead of `--version`
 * @property {boolean} [followsLinks] whether it must be started by its real path, next to which other programs are
 * @property {boolean} [refusesRoot] whether root has to run it as another user
 * @property {string} macOS the command that installs it there
 */

/** @type {Record<string, Entry>} */
export const catalogue = {
  'redis-server': {
    variable: 'REDIS_SERVER',
    installed: ['redis-server', 'valkey-server'],
    debian: { packages: ['redis-server'], path: 'usr/bin/redis-server' },
    macOS: 'brew install redis',
  },
  postgres: {
    variable: 'POSTGRES_BIN',
    named: (folder) => join(folder, 'postgres'),
    // The version that `npm test` uses.
    npm: postgresPackage(18),
    installed: ['postgres'],
    followsLinks: true,
    refusesRoot: true,
    macOS: 'brew install postgresql@18',
  },
  pgbouncer: {
    variable: 'PGBOUNCER',
    installed: ['pgbouncer', '/usr/sbin/pgbouncer'],
    debian: { packages: ['pgbouncer'], path: 'usr/sbin/pgbouncer' },
    refusesRoot: true,
    macOS: 'brew install pgbouncer',
  },
  chromium: {
    variable: 'CHROMIUM',
    npm: chromiumPackage(),
    installed: [
      'chromium',
      'chromium-browser',
      'google-chrome',
      '/Applications/Chromium.app/Contents/MacOS/Chromium',
      '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    ],
    debian: { packages: ['chromium'], path: 'usr/lib/chromium/chromium' },
    macOS: 'brew install --cask chromium',
  },
  curl: {
    variable: 'CURL',
    installed: ['curl'],
    debian: { packages: ['curl'], path: 'usr/bin/curl' },
    macOS: 'brew install curl',
  },
  prometheus: {
    variable: 'PROMETHEUS',
    installed: ['prometheus'],
    debian: { packages: ['prometheus'], path: 'usr/bin/prometheus' },
    macOS: 'brew install prometheus',
  },
  nginx: {
    variable: 'NGINX',
    installed: ['nginx', '/usr/sbin/nginx'],
    debian: { packages: ['nginx'], path: 'usr/sbin/nginx' },
    version: '-v',
    macOS: 'brew install nginx',
  },
  haproxy: {
    variable: 'HAPROXY',
    installed: ['haproxy', '/usr/sbin/haproxy'],
    debian: { packages: ['haproxy'], path: 'usr/sbin/haproxy' },
    version: '-v',
    macOS: 'brew install haproxy',
  },
};
