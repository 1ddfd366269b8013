import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { progress } from '../runner.ts';
import { type Table, toMarkdown, toText } from '../table.ts';
import { contenders } from './contenders.ts';
import { calibrate, type Kind, kinds } from './kinds.ts';
import { fullPlan, quickPlan } from './plan.ts';
import { prices } from './price.ts';
import { bare } from './rejecting.ts';
import { limitTable, loadTable, priceTable, recoveryTable, settingsTable } from './report.ts';
import { runKind } from './run.ts';

const { values: options, positionals: words } = parseArgs({
  allowPositionals: true,
  options: {
    /** Fewer and shorter phases: shows that the benchmark works; its figures mean nothing. */
    quick: { type: 'boolean', default: false },
    /** Opens a new connection for each request instead of reusing idle ones. */
    'own-connections': { type: 'boolean', default: false },
    markdown: { type: 'string' },
  },
});

const plan = {
  ...(options.quick ? quickPlan : fullPlan),
  ownConnections: options['own-connections'],
};
const unknown = words.find((word) => !kinds.includes(word as Kind) && !(word in contenders));
if (unknown !== undefined) {
  throw new Error(`${unknown} is neither of ${kinds} nor of ${Object.keys(contenders)}`);
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

const machine = `Node ${process.version.slice(1)}, ${cpus().length} × ${cpus()[0]?.model.trim()}`;
console.log(`${machine}\n`);
progress('calibrating');
const work = calibrate();
progress('');
show(settingsTable(names));
const priced = await prices(work, plan);
show(priceTable(priced));
const price = priced.get(bare)?.cpu ?? Number.NaN;
for (const kind of chosen(kinds)) {
  const run = await runKind(kind, names, work, plan);
  for (const table of [loadTable(run, price), recoveryTable(run), limitTable(run)]) show(table);
}
if (options.markdown) {
  const sections = [`${machine}.`, ...tables.map(toMarkdown)];
  writeFileSync(options.markdown, `${sections.join('\n\n')}\n`);
}
