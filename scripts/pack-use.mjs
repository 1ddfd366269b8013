// Installs the packed packages in the projects of scripts/consumer, as users would, and runs their tests.
import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pack } from './tarballs.mjs';

const { packageManager } = JSON.parse(readFileSync('package.json', 'utf8'));
const managers = [packageManager, 'yarn@1.22.22', 'bun@1.4.5'];
const folder = mkdtempSync(join(tmpdir(), 'headgate-consumer-'));
const tarballs = pack();

/** Runs a command and prints its output at the end, because several run concurrently. */
async function run(cwd, ...words) {
  const started = Date.now();
  // Yarn would find the tarball of an earlier build by its path, which is the same.
  const env = { ...process.env, YARN_CACHE_FOLDER: join(folder, '.yarn') };
  const stdio = ['ignore', 'pipe', 'pipe'];
  const child = spawn(words.join(' '), { cwd, env, shell: true, stdio });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  }
  const status = await new Promise((resolve) => child.on('close', resolve));
  const seconds = ((Date.now() - started) / 1_000).toFixed(1);
  console.log(`$ ${words.join(' ')} (${seconds} s)\n${output}`);
  if (status !== 0) throw new Error(`${words.join(' ')}: exit ${status}`);
}

/** Waits for all even if one fails, because running commands need their files. */
async function all(promises) {
  const results = await Promise.allSettled(promises);
  const failed = results.find(({ status }) => status === 'rejected');
  if (failed) throw failed.reason;
}

/** The projects share one installation, like the workspaces of a monorepo. */
async function useInProjects() {
  const root = join(folder, 'projects');
  cpSync('scripts/consumer', root, { recursive: true });
  await run(root, 'npm install --no-audit --no-fund --loglevel=error', ...tarballs);
  const { workspaces } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  await all(workspaces.map((project) => run(root, 'npm test --silent -w', project)));
}

/**
 * An adapter and the core as tarballs, before the registry has the core: `resolutions` names its file for each package
 * manager.
 */
async function useUnpublished(manager) {
  const project = join(folder, manager);
  cpSync('scripts/consumer/unpublished', project, { recursive: true });
  const tarball = (name) => `file:${tarballs.find((path) => path.includes(`headgate-${name}-`))}`;
  const core = { '@headgate/core': tarball('core') };
  const file = join(project, 'package.json');
  const manifest = JSON.parse(readFileSync(file, 'utf8'));
  Object.assign(manifest.dependencies, core, { '@headgate/express': tarball('express') });
  writeFileSync(file, JSON.stringify({ ...manifest, resolutions: core }));
  await run(project, 'npx -y', manager, 'install');
  await run(project, 'node use.cjs');
}

try {
  await all([
    useInProjects(),
    // One after the other, to use one core only.
    (async () => {
      for (const manager of managers) await useUnpublished(manager);
    })(),
  ]);
  console.log(
    'The packed packages work from import, require(), Jest, NestJS and TypeScript, with npm, pnpm, Yarn and Bun.',
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
