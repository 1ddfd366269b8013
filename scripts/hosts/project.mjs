// An app of scripts/hosts/apps, installed and built as its users would.
import { cpSync, mkdtempSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { idOf, install as installRuntime, runtimes } from '../runtimes/runtimes.mjs';
import { output } from './command.mjs';

const apps = fileURLToPath(new URL('apps', import.meta.url));

/** Several frameworks no longer support the oldest version of Node that Headgate supports. */
const node = runtimes.find((runtime) => idOf(runtime) === 'node-24');

/** What the hook needs, with the metrics that the checks read. */
const packages = ['core', 'node', 'prometheus'];

/**
 * Copies the app into `folder`, installs its dependencies and the packed packages, and builds it.
 *
 * @param app The name of its folder.
 * @returns Its folder and the environment of its commands.
 */
export async function createProject(app, { folder, tarballs }) {
  const cwd = join(folder, app);
  const path = `${dirname(await installRuntime(node))}${delimiter}${process.env.PATH}`;
  const { NODE_ENV: _, ...inherited } = process.env;
  const env = { ...inherited, PATH: path, CI: '1', DO_NOT_TRACK: '1' };
  const project = { cwd, env, tarballs };
  cpSync(join(apps, app), cwd, { recursive: true });
  const { scripts = {} } = JSON.parse(readFileSync(join(cwd, 'package.json'), 'utf8'));
  await installHook(project);
  if (scripts.build !== undefined) await output('npm', ['run', 'build'], project);
  return project;
}

/** Installs the packed packages, and what the folder's package.json names. */
async function installHook({ cwd, env, tarballs }) {
  const needed = tarballs.filter((path) =>
    packages.some((name) => new RegExp(`headgate-${name}-\\d`).test(path)),
  );
  const options = ['--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'];
  await output('npm', ['install', ...options, 'prom-client@15.1.3', ...needed], { cwd, env });
}

/** Copies a part of the project to a folder of its own, with the packed packages in the folder above. */
export async function deploy(project, part) {
  const parent = mkdtempSync(join(project.cwd, '../deployed-'));
  const cwd = join(parent, 'app');
  cpSync(join(project.cwd, part), cwd, { recursive: true, verbatimSymlinks: true });
  await installHook({ ...project, cwd: parent });
  return { ...project, cwd };
}
