// npm run simulate -- utilization [--write]: load shedding by the utilization of the event loop, compared with the default
// limit. --write writes the table into docs/shedding-by-utilization.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { withText } from '../page.ts';
import { utilizationTable } from './table.ts';

const { values } = parseArgs({ options: { write: { type: 'boolean', default: false } } });
const table = utilizationTable();
console.log(table);
if (values.write) {
  const page = resolve(import.meta.dirname, '../../../../docs/shedding-by-utilization.md');
  writeFileSync(page, withText(readFileSync(page, 'utf8'), 'utilization', table));
}
