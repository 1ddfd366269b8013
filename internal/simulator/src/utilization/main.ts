// npm run simulate -- utilization [--write]: load shedding by the utilization of the event loop, compared with the default
// limit. --write writes the table into docs/shedding-by-utilization.md.
import { parseArgs } from 'node:util';
import { writeText } from '../pages.ts';
import { utilizationTable } from './table.ts';

const { values } = parseArgs({ options: { write: { type: 'boolean', default: false } } });
const table = utilizationTable();
console.log(table);
if (values.write) writeText('shedding-by-utilization.md', 'utilization', table);
