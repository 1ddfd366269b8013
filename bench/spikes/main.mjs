// npm run bench -- hosts [next nuxt …] [--own-connections] [--write]: spikes on apps of four frameworks, which are
// installed from npm, with and without the hook. `--write` writes the table into docs/lab/hosts-in-a-spike.md. Needs Linux.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createProject } from '../../scripts/hosts/project.mjs';
import { pack } from '../../scripts/pack/tarballs.mjs';
import { withSection } from '../src/overload/page-tables.ts';
import { toMarkdown, toText } from '../src/table.ts';
import { measureSpikes } from './measure.mjs';
import { RowsServer } from './rows-server.mjs';
import { spikesTable } from './table.mjs';

const apps = {
  next: { title: 'Next.js' },
  nuxt: { title: 'Nuxt' },
  sveltekit: { title: 'SvelteKit' },
  strapi: { title: 'Strapi', base: '/api' },
};
const page = 'docs/lab/hosts-in-a-spike.md';

const { values: options, positionals: names } = parseArgs({
  allowPositionals: true,
  options: {
    /** Opens a new connection for each request instead of reusing idle ones. */
    'own-connections': { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
});
const unknown = names.find((name) => !Object.hasOwn(apps, name));
if (unknown !== undefined) throw new Error(`${unknown} is none of ${Object.keys(apps)}`);
const chosen = Object.keys(apps).filter((name) => names.length === 0 || names.includes(name));

const folder = mkdtempSync(join(tmpdir(), 'headgate-spikes-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
const tarballs = pack();
const rows = await RowsServer.start();
const measured = [];
for (const name of chosen) {
  const project = await createProject(name, { folder, tarballs });
  const app = { ...apps[name], project, rows, ownConnections: options['own-connections'] };
  measured.push({ ...app, ...(await measureSpikes(app)) });
  console.error(`${name} is measured`);
}
rows.close();

const machine = `${cpus().length} × ${cpus()[0].model.trim()}`;
const table = spikesTable(measured, machine);
console.log(toText(table));
if (options.write) {
  const section = { heading: 'Under a spike', words: [] };
  writeFileSync(page, withSection(readFileSync(page, 'utf8'), section, toMarkdown(table)));
}
