// npm run simulate -- storm [--only got] [--write]: HTTP clients that call a server before, during and after an outage, in
// virtual time. Fails if a limited client misses a goal. --write also writes the table of docs/retry-storms.md.

// Imported first, since it replaces the timers, which some libraries read only once.
import './virtual-time.ts';
import { parseArgs } from 'node:util';
import { writeText } from '../pages.ts';
import { contendersNamed } from './contenders.ts';
import { PATIENCE, storm } from './storm.ts';
import { reachesGoals, rowOf, tableOf } from './table.ts';
import type { Outage } from './upstream.ts';
import { virtualNetwork } from './virtual-network.ts';
import { inVirtualTime } from './virtual-time.ts';

const { values: options } = parseArgs({
  options: {
    /** A regular expression that selects rows. */
    only: { type: 'string', default: '' },
    write: { type: 'boolean', default: false },
  },
});
if (options.write && options.only !== '') throw new Error('--write needs all rows');

const outages: readonly Outage[] = ['errors', 'hang'];
const phases = { before: 20_000, outage: 30_000, after: 60_000 };
const SEED = 1;

const chosen = contendersNamed(options.only);

const rows: string[][] = [];
for (const contender of chosen) {
  const results = [];
  for (const outage of outages) {
    const run = () => storm(contender, outage, phases, virtualNetwork);
    const duration = phases.before + phases.outage + phases.after + 2 * PATIENCE;
    results.push(await inVirtualTime(run, duration, SEED));
  }
  if (!reachesGoals(contender, results)) process.exitCode = 1;
  rows.push(rowOf(contender, results));
}
const table = tableOf(outages, rows);
console.log(table);
if (options.write) writeText('retry-storms.md', 'storm', table);
