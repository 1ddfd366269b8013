// npm run release [-- --dry-run]: checks, packs and tries all public packages, and publishes the same tarballs. A dry run
// publishes them to a registry of its own, on this machine.
import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isPlaceholder, repository } from '../addresses.mjs';
import { packed } from '../pack/tarballs.mjs';
import { manifestOf, publicPackages } from '../packages.mjs';
import { inOrder, publish } from './publish.mjs';
import { isUnpublished, pages } from './published.mjs';
import { refusalsOf } from './refusals.mjs';
import { rehearsalToken, startRehearsal } from './rehearsal.mjs';
import { runStep } from './step.mjs';

process.chdir(fileURLToPath(new URL('../..', import.meta.url)));

const args = process.argv.slice(2);
const isDryRun = args.includes('--dry-run');
if (args.some((arg) => arg !== '--dry-run')) {
  console.error('Usage: npm run release [-- --dry-run]');
  process.exit(2);
}

/** Undefined without git, and outside a clone. */
function git(...words) {
  const { status, stdout } = spawnSync('git', words, { encoding: 'utf8' });
  return status === 0 ? stdout.trimEnd() : undefined;
}

const refusals = refusalsOf({
  version: manifestOf(publicPackages[0]).version,
  changes: git('status', '--porcelain'),
  changelog: readFileSync('CHANGELOG.md', 'utf8'),
  unpublished: pages.filter((page) => isUnpublished(readFileSync(page, 'utf8'))),
  notes: readdirSync('.changeset').filter((name) => /^(?!README).*\.md$/.test(name)),
  tags: git('tag', '--points-at', 'HEAD')?.split('\n') ?? [],
  isPlaceholder,
  repository,
  npm: execFileSync('npm', ['--version'], { encoding: 'utf8' }).trim(),
  env: process.env,
});

const lines = (found) => found.map(({ code, message }) => `${code}: ${message}`).join('\n');

const stopping = refusals.filter(({ stopsDryRun }) => !isDryRun || stopsDryRun);
if (stopping.length > 0) {
  console.error(`${lines(stopping)}\nNothing has been done.`);
  process.exit(1);
}

const steps = {
  'what the lock file names is installed': 'node scripts/bootstrap.mjs',
  'lint finds nothing': 'npm run lint',
  'the packages are built and packed, and pass publint and attw': 'npm run pack -- lint',
  'what the packages depend on is checked': `node scripts/pack/audit.mjs --packed${isDryRun ? '' : ' --required'}`,
  'npm, pnpm, Yarn and Bun install them on Node 20.19, and their apps run':
    'node scripts/pack/use.mjs --packed',
};

// What an earlier build has left there would be packed.
for (const folder of publicPackages) rmSync(`${folder}/dist`, { recursive: true, force: true });
for (const [title, command] of Object.entries(steps)) {
  console.log(`\n=== ${title}: ${command}`);
  const { status, reported } = await runStep(command);
  refusals.push(...reported);
  if (status !== 0) {
    console.error(`RELEASE_STEP: ${command} has failed. Nothing has been published.`);
    process.exit(1);
  }
}

if (isDryRun) await rehearse();
else await publish(packed(), targetOfNpm());

function targetOfNpm() {
  const registry = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim();
  return { registry, token: process.env.NPM_TOKEN || undefined, provenance: true };
}

async function rehearse() {
  console.log('\n=== npm publishes to a registry on this machine');
  const { registry, published, close } = await startRehearsal();
  try {
    await publish(packed(), { registry, token: rehearsalToken, provenance: false });
  } finally {
    close();
  }
  console.log('');
  for (const title of Object.keys(steps)) console.log(`ok  ${title}`);
  console.log(`ok  npm publishes ${published.size} packages in this order:`);
  for (const { tarball, manifest } of inOrder(packed()))
    console.log(`      ${manifest.name}@${manifest.version} (${sizeOf(tarball)} kB)`);
  if (refusals.length > 0) console.log(`\nA release would stop here:\n${lines(refusals)}`);
  console.log('\nNothing has been published.');
}

function sizeOf(file) {
  return Math.ceil(statSync(file).size / 1_000);
}
