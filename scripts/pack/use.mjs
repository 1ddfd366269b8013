// npm run pack -- use: installs the packed packages in the projects of scripts/consumer, as users would, and runs their tests.
// With --packed, the tarballs of out/tarballs.
import { chmodSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageManager } from '../pnpm.mjs';
import { all, run } from '../shell.mjs';
import { bareEnvironment } from './bare-machine.mjs';
import { manifestIn, pack, packed, resolutionsFor } from './tarballs.mjs';
import { useImage } from './use-image.mjs';
import { checkValueExports } from './value-exports.mjs';

const installs = {
  npm: 'npm install',
  pnpm: `npx -y ${packageManager} install`,
  // Fastify brings a version of cookie along that requires Node 22, if only in its manifest.
  yarn: 'npx -y yarn@1.22.22 install --ignore-engines',
  bun: 'npx -y bun@1.4.5 install',
};
const tarballs = process.argv.includes('--packed') ? packed() : pack();
const folder = mkdtempSync(join(tmpdir(), 'headgate-consumer-'));
// The user of the image has to reach it.
chmodSync(folder, 0o755);
// Yarn would find the tarball of an earlier build by its path, which is the same.
const env = { ...(await bareEnvironment()), YARN_CACHE_FOLDER: join(folder, '.yarn') };

/** The projects share one installation, like the workspaces of a monorepo. */
async function useInProjects() {
  const cwd = join(folder, 'projects');
  cpSync('scripts/consumer', cwd, { recursive: true });
  const install = ['npm install --no-audit --no-fund --prefer-offline --loglevel=error'];
  await run([...install, ...tarballs], { cwd, env });
  await checkValueExports(
    tarballs.map((path) => manifestIn(path).name),
    cwd,
  );
  const { workspaces } = JSON.parse(readFileSync(join(cwd, 'package.json'), 'utf8'));
  await all(workspaces.map((project) => run(['npm test --silent -w', project], { cwd, env })));
}

/**
 * An app of each package in an empty project, as ES modules and as CommonJS. npm takes what the project depends on; the
 * others need the `resolutions`.
 */
async function useWith(manager) {
  const cwd = join(folder, `with-${manager}`);
  cpSync('scripts/consumer/apps', cwd, { recursive: true });
  const files = Object.fromEntries(tarballs.map((path) => [manifestIn(path).name, `file:${path}`]));
  const file = join(cwd, 'package.json');
  const manifest = JSON.parse(readFileSync(file, 'utf8'));
  Object.assign(manifest.dependencies, files);
  writeFileSync(file, JSON.stringify({ ...manifest, resolutions: resolutionsFor(tarballs) }));
  await run([installs[manager]], { cwd, env });
  for (const app of ['apps.mjs', 'apps.cjs']) await run(['node', app], { cwd, env });
}

try {
  await all([
    useInProjects(),
    // One after the other, to use one core only.
    (async () => {
      for (const manager of Object.keys(installs)) await useWith(manager);
      await useImage(join(folder, 'image'), env);
    })(),
  ]);
  console.log(
    'The packed packages work on Node 20.19 from import, require(), Jest, NestJS and TypeScript, installed by npm, pnpm, Yarn and Bun.',
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
