// Runtimes that implement node:http themselves, and have options of their own to load a module first.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { idOf, install, runtimes } from '../runtimes/runtimes.mjs';
import { httpChecks } from './http-checks.mjs';

const servers = ['plain.js', 'fastify.js'];

export async function bunCheck({ project, backend }) {
  const bun = await programOf('bun');
  for (const file of servers) {
    const command = [bun, '--bun', '--preload', '@headgate/node/register', file];
    await httpChecks({ command, hooked: false })({ project, backend });
  }
}

export async function denoCheck({ project, backend }) {
  const deno = await programOf('deno');
  nameVersions(project);
  const env = { DENO_DIR: join(project.cwd, '.deno'), DENO_NO_UPDATE_CHECK: '1' };
  for (const file of servers) {
    const command = [deno, 'run', '-A', '--preload', 'npm:@headgate/node/register', file];
    await httpChecks({ command, hooked: false, env })({ project, backend });
  }
}

/** As after an installation from the registry. Deno does not find packages that were installed from a file. */
function nameVersions({ cwd }) {
  const file = join(cwd, 'package.json');
  const manifest = JSON.parse(readFileSync(file, 'utf8'));
  for (const name of Object.keys(manifest.dependencies)) {
    if (!name.startsWith('@headgate/')) continue;
    const installed = join(cwd, 'node_modules', name, 'package.json');
    manifest.dependencies[name] = JSON.parse(readFileSync(installed, 'utf8')).version;
  }
  writeFileSync(file, JSON.stringify(manifest));
}

const programOf = (id) => install(runtimes.find((runtime) => idOf(runtime) === id));
