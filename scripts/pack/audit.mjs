// npm run pack -- audit: resolves the packed packages as npm would today, without peers, and checks all that comes along: no
// install script, no deprecated version, an allowed license, and no vulnerability that the registry knows.
// --packed uses the tarballs of out/tarballs; --required fails if the registry answers no audits.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { problemsOf } from '../licenses.mjs';
import { pack, packed } from './tarballs.mjs';
import { vulnerabilitiesOf } from './vulnerabilities.mjs';

const tarballs = process.argv.includes('--packed') ? packed() : pack();
const cwd = mkdtempSync(join(tmpdir(), 'headgate-audit-'));

/** What an install would put into node_modules. */
function resolveProject() {
  writeFileSync(join(cwd, 'package.json'), '{ "private": true }');
  const options = ['--package-lock-only', '--ignore-scripts', '--omit=peer', '--no-audit'];
  execFileSync('npm', ['install', ...options, ...tarballs], {
    cwd,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const { packages } = JSON.parse(readFileSync(join(cwd, 'package-lock.json'), 'utf8'));
  return Object.entries(packages)
    .filter(([path, { peer }]) => path !== '' && peer !== true)
    .map(([path, entry]) => ({ ...entry, name: path.replace(/^.*node_modules\//, '') }));
}

const deprecationsOf = ({ name, version, deprecated }) =>
  deprecated === undefined ? [] : [`${name}@${version} is deprecated: ${deprecated}`];

try {
  const installed = resolveProject();
  const vulnerabilities = await vulnerabilitiesOf(cwd);
  const problems = [
    ...installed.flatMap(problemsOf),
    ...installed.flatMap(deprecationsOf),
    ...(vulnerabilities ?? []),
  ];
  for (const problem of problems) console.error(problem);
  if (vulnerabilities === undefined)
    console.error(
      'AUDIT_UNAVAILABLE: This registry answers no audits, so vulnerabilities are unknown.',
    );
  console.log(`${installed.length} packages are checked; problems: ${problems.length}.`);
  const isMissing = vulnerabilities === undefined && process.argv.includes('--required');
  if (problems.length > 0 || isMissing) process.exitCode = 1;
} finally {
  rmSync(cwd, { recursive: true, force: true });
}
