// `npm run bench -- impatient [--only koa] [--write]`: real servers at twice their capacity, whose clients leave. Fails if a
// goal is missed. --write also writes the table of docs/lab/queue.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { withSection } from '../../overload/page-tables.ts';
import { toMarkdown, toText, verdict } from '../../table.ts';
import { impatientTable } from './table.ts';

const { values: options } = parseArgs({
  options: {
    /** A regular expression that selects rows. */
    only: { type: 'string', default: '' },
    write: { type: 'boolean', default: false },
  },
});
if (options.write && options.only !== '') throw new Error('--write needs all rows');

const table = await impatientTable(new RegExp(options.only, 'i'));
if (table.rows.length === 0) throw new Error(`no server is called ${options.only}`);
console.log(toText(table));
if (table.goals.some((goal) => verdict(goal) !== 'reached')) process.exitCode = 1;
if (options.write) {
  const page = resolve(import.meta.dirname, '../../../../docs/lab/queue.md');
  const section = { heading: 'On real HTTP', words: [] };
  writeFileSync(page, withSection(readFileSync(page, 'utf8'), section, toMarkdown(table)));
}
