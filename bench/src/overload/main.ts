import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { progress } from '../runner.ts';
import { type Table, toMarkdown, toText } from '../table.ts';
import { contenders } from './contenders.ts';
import { startNeighbours } from './neighbour.ts';
import { fullPlan, quickPlan } from './plan.ts';
import { bare } from './rejecting.ts';
import { rejectionCosts } from './rejection-cost.ts';
import {
  limitTable,
  loadTable,
  recoveryTable,
  rejectionCostTable,
  settingsTable,
} from './report.ts';
import { calibrate, type Resource, resources } from './resources.ts';
import { runResource } from './run.ts';

const { values: options, positionals: words } = parseArgs({
  allowPositionals: true,
  options: {
    /** Fewer and shorter phases: shows that the benchmark works; its figures mean nothing. */
    quick: { type: 'boolean', default: false },
    /** Opens a new connection for each request instead of reusing idle ones. */
    'own-connections': { type: 'boolean', default: false },
    /** Runs next to processes that take half of the CPU, in bursts. */
    neighbour: { type: 'boolean', default: false },
    markdown: { type: 'string' },
  },
});

const plan = {
  ...(options.quick ? quickPlan : fullPlan),
  ownConnections: options['own-connections'],
};
const unknown = words.find(
  (word) => !resources.includes(word as Resource) && !(word in contenders),
);
if (unknown !== undefined) {
  throw new Error(`${unknown} is neither of ${resources} nor of ${Object.keys(contenders)}`);
}
const chosen = <T extends string>(all: readonly T[]): readonly T[] => {
  const named = all.filter((name) => words.includes(name));
  return named.length > 0 ? named : all;
};
const names = chosen(Object.keys(contenders));

const tables: Table[] = [];
const show = (table: Table) => {
  if (table.rows.length === 0) return;
  tables.push(table);
  console.log(`${toText(table)}\n`);
};

if (options.neighbour) startNeighbours();
const machine = `Node ${process.version.slice(1)}, ${cpus().length} × ${cpus()[0]?.model.trim()}`;
console.log(`${machine}\n`);
progress('calibrating');
const work = await calibrate();
progress('');
show(settingsTable(names));
const costs = await rejectionCosts(work, plan);
show(rejectionCostTable(costs));
const rejectionCost = costs.get(bare)?.cpu ?? Number.NaN;
for (const resource of chosen(resources)) {
  const run = await runResource(resource, names, work, plan);
  for (const table of [loadTable(run, rejectionCost), recoveryTable(run), limitTable(run)])
    show(table);
}
if (options.markdown) {
  const sections = [`${machine}.`, ...tables.map(toMarkdown)];
  writeFileSync(options.markdown, `${sections.join('\n\n')}\n`);
}
