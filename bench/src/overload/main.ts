import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { hostNames } from '../hosts/index.ts';
import { progress } from '../runner.ts';
import { type Table, toMarkdown, toText } from '../table.ts';
import { contenders } from './contenders.ts';
import { startNeighbours } from './neighbour.ts';
import { fullPlan, quickPlan, quickSpikePlan, spikePlan } from './plan.ts';
import { bare } from './rejecting.ts';
import { rejectionCosts } from './rejection-cost.ts';
import {
  limitTable,
  loadTable,
  recoveryTable,
  rejectionCostTable,
  settingsTable,
} from './report.ts';
import { calibrate, type Resource, resources, spikeResources } from './resources.ts';
import { runResource } from './run.ts';
import { runSpikes } from './spike.ts';
import { spikeContenders, spikeTable } from './spike-table.ts';

const { values: options, positionals: words } = parseArgs({
  allowPositionals: true,
  options: {
    /** Fewer and shorter phases: shows that the benchmark works; its figures mean nothing. */
    quick: { type: 'boolean', default: false },
    /** Opens a new connection for each request instead of reusing idle ones. */
    'own-connections': { type: 'boolean', default: false },
    /** Runs next to processes that take half of the CPU, in bursts. */
    neighbour: { type: 'boolean', default: false },
    /** Only the first seconds of a spike, several times. */
    spike: { type: 'boolean', default: false },
    /** The framework. Without Express, only Headgate is measured. */
    host: { type: 'string', default: 'express' },
    markdown: { type: 'string' },
  },
});

const host = hostNames.find((name) => name === options.host);
if (host === undefined) throw new Error(`${options.host} is none of ${hostNames}`);
const { 'own-connections': ownConnections, quick } = options;
const plan = { ...(quick ? quickPlan : fullPlan), ownConnections };
const spikes = { ...(quick ? quickSpikePlan : spikePlan), ownConnections };
const all = Object.keys(contenders).filter(
  (name) => host === 'express' || !contenders[name]?.needsExpress,
);
const known: readonly Resource[] = [...resources, ...spikeResources];
const unknown = words.find((word) => ![...known, ...all].includes(word));
if (unknown !== undefined) throw new Error(`${unknown} is none of ${known}, nor of ${all}`);

/** What the words name, or the default. */
const chosen = <T extends string>(all: readonly T[], others = all): readonly T[] => {
  const named = all.filter((name) => words.includes(name));
  return named.length > 0 ? named : others;
};

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
const setup = { host, work: await calibrate() };
progress('');
if (options.spike) await measureSpikes();
else await measureLoads();
if (options.markdown) {
  const sections = [`${machine}.`, ...tables.map(toMarkdown)];
  writeFileSync(options.markdown, `${sections.join('\n\n')}\n`);
}

async function measureSpikes(): Promise<void> {
  const names = chosen(
    all,
    spikeContenders.filter((name) => all.includes(name)),
  );
  show(settingsTable(names));
  for (const resource of chosen(known, spikeResources)) {
    show(spikeTable(await runSpikes(resource, names, setup, spikes), spikes));
  }
}

async function measureLoads(): Promise<void> {
  const names = chosen(all);
  show(settingsTable(names));
  const costs = await rejectionCosts(setup, plan);
  show(rejectionCostTable(costs, setup.host));
  const rejectionCost = costs.get(bare)?.cpu ?? Number.NaN;
  for (const resource of chosen(known, resources)) {
    const run = await runResource(resource, names, setup, plan);
    for (const table of [loadTable(run, rejectionCost), recoveryTable(run), limitTable(run)])
      show(table);
  }
}
