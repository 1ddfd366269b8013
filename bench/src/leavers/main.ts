// npm run bench -- leavers [--only koa] [--write]: how many handlers run when clients leave, and what becomes of the
// other clients. Fails if a goal is missed. --write also writes the tables of docs/lab/clients-that-leave.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { withSection } from '../overload/page-tables.ts';
import { type Table, toMarkdown, toText, verdict } from '../table.ts';
import { alone, amidFast, hangingTable } from './hanging/table.ts';
import { leavingTable } from './leaving/table.ts';

const page = resolve(import.meta.dirname, '../../../docs/lab/clients-that-leave.md');

const { values: options } = parseArgs({
  options: {
    /** A regular expression that selects rows. */
    only: { type: 'string', default: '' },
    write: { type: 'boolean', default: false },
  },
});
if (options.write && options.only !== '') throw new Error('--write needs all rows');
const only = new RegExp(options.only, 'i');

/** By the headings of the page. */
const sections: Record<string, () => Promise<Table>> = {
  'A dependency hangs': () => hangingTable(alone, only),
  'A dependency hangs, amid fast requests': () => hangingTable(amidFast, only),
  'Nothing hangs': () => leavingTable(only),
};

for (const [heading, measure] of Object.entries(sections)) {
  const table = await measure();
  if (table.rows.length === 0) continue;
  console.log(`${toText(table)}\n`);
  if (table.goals.some((goal) => verdict(goal) === 'not reached')) process.exitCode = 1;
  if (!options.write) continue;
  const section = { heading, words: [] };
  writeFileSync(page, withSection(readFileSync(page, 'utf8'), section, toMarkdown(table)));
}
