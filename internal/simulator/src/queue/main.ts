// npm run simulate -- queue [--only share] [--order lifo] [--write]: which requests a limit serves, compared with a plain
// queue. Fails if a goal is missed. --write also writes the tables of docs/lab/queue.md.
import { parseArgs } from 'node:util';
import { writeText } from '../pages.ts';
import { isReached } from './goal.ts';
import { orders } from './orders.ts';
import { sectionOf } from './page.ts';
import { rows } from './rows.ts';

const { values: options } = parseArgs({
  options: {
    /** A regular expression that selects rows by their ids. */
    only: { type: 'string', default: '' },
    order: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
});
const { order: name } = options;
if (options.write && (options.only !== '' || name !== undefined))
  throw new Error('--write needs all rows, with the default order');
if (name !== undefined && !(name in orders))
  throw new Error(`--order must be one of ${Object.keys(orders).join(', ')}`);
const order = name === undefined ? {} : { order: orders[name as keyof typeof orders] };

const only = new RegExp(options.only);
const chosen = rows.filter(({ id }) => only.test(id));
if (chosen.length === 0)
  throw new Error(`--only matches none of ${rows.map(({ id }) => id).join(', ')}`);

const sections: string[] = [];
for (const row of chosen) {
  const result = await row.measure({ part: 1, ...order });
  if (!result.goals.every(isReached)) process.exitCode = 1;
  const section = sectionOf(row, result);
  console.log(`${section}\n`);
  sections.push(section);
}
if (options.write) writeText('lab/queue.md', 'queue', sections.join('\n\n'));
