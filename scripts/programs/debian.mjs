// Programs from Debian's or Ubuntu's packages, unpacked without root, and independently of the installed packages.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from './run.mjs';

/**
 * Packages that are not unpacked: libc and the compiler's runtime, which Node needs too and which must be the system's;
 * packages that are needed only for installing or administrating others; and those of Prometheus' own page.
 */
const assumed = `
  libc6 libgcc-s1 libstdc++6 dpkg perl perl-base debconf adduser passwd init-system-helpers
  lsb-base sysvinit-utils postgresql-common postgresql-client-common ssl-cert ucf openssl
  ca-certificates xdg-utils x11-utils systemd fonts-glyphicons-halflings libjs-bootstrap
  libjs-bootstrap4 libjs-d3 libjs-jquery libjs-eonasdan-bootstrap-datetimepicker
  libjs-jquery-hotkeys libjs-moment libjs-moment-timezone libjs-mustache libjs-popper.js
  libjs-rickshaw
`
  .trim()
  .split(/\s+/);

export function hasApt() {
  return spawnSync('apt-get', ['--version'], { stdio: 'ignore' }).status === 0;
}

/** The folder of apt's lists: each process has its own, since two of them cannot update the same one at once. */
let lists;

/** Unpacks packages and all their dependencies into `folder`. */
export function unpackDebian(packages, folder) {
  const work = `${folder}-apt`;
  mkdirSync(join(work, 'archives/partial'), { recursive: true });
  const ownLists = lists ?? temporaryFolder();
  const { stdout } = spawnSync('dpkg', ['--print-architecture'], { encoding: 'utf8' });
  const entries = assumed.map((name) => installed(name, stdout.trim()));
  writeFileSync(join(work, 'status'), entries.join('\n'));
  const options = [
    `Dir::State::status=${work}/status`,
    `Dir::State::lists=${ownLists}`,
    `Dir::Cache=${work}`,
    'APT::Sandbox::User=root',
    'Debug::NoLocking=1',
    'Acquire::Languages=none',
    'Acquire::Retries=1',
    'Acquire::http::Timeout=20',
  ].flatMap((option) => ['-o', option]);
  // Packages of an outdated list may no longer exist.
  if (lists === undefined) run('apt-get', [...options, 'update', '-qq']);
  lists = ownLists;
  const install = ['install', '-qq', '-y', '--download-only', '--no-install-recommends'];
  run('apt-get', [...options, ...install, ...packages]);
  mkdirSync(folder, { recursive: true });
  const archives = join(work, 'archives');
  for (const file of readdirSync(archives).filter((name) => name.endsWith('.deb')))
    run('dpkg', ['-x', join(archives, file), folder]);
}

function temporaryFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'headgate-apt-'));
  process.once('exit', () => rmSync(folder, { recursive: true }));
  return folder;
}

/** An entry of dpkg's list whose version satisfies all requirements. */
function installed(name, architecture) {
  return `Package: ${name}
Status: install ok installed
Maintainer: none
Architecture: ${architecture}
Multi-Arch: foreign
Version: 9999
Description: assumed
`;
}
