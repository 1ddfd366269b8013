// npm run bench -- proxies [--write]: limits of nginx and HAProxy, and how they balance the load when a server rejects
// requests, with the real programs, in three minutes. --write also writes the tables of docs/load-balancers.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { withSection } from '../overload/page-tables.ts';
import { toMarkdown, toText } from '../table.ts';
import { burstTable, sheddingTable } from './tables.ts';

const { values: options } = parseArgs({ options: { write: { type: 'boolean', default: false } } });
const page = resolve(import.meta.dirname, '../../../docs/load-balancers.md');

/** By the headings of the page. */
const sections = {
  'A burst': burstTable,
  'A server that rejects attracts traffic': sheddingTable,
};

for (const [heading, measure] of Object.entries(sections)) {
  const table = await measure();
  console.log(`${toText(table)}\n`);
  if (!options.write) continue;
  const section = { heading, words: [] };
  writeFileSync(page, withSection(readFileSync(page, 'utf8'), section, toMarkdown(table)));
}
