import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { progress } from '../runner.ts';
import { type Table, toText } from '../table.ts';
import { pairs } from './pairs.ts';
import { fullPlan, type Plan, quickPlan } from './plan.ts';
import { startUp } from './start-up.ts';
import { waiting } from './waiting.ts';

const parts: Record<string, (plan: Plan) => Promise<Table>> = {
  pairs,
  waiting,
  'start-up': startUp,
};

const { values: options, positionals: chosen } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean', default: false } },
});

const unknown = chosen.find((name) => !(name in parts));
if (unknown !== undefined)
  throw new Error(`no part is called ${unknown}: there are ${Object.keys(parts)}`);
const plan = options.quick ? quickPlan : fullPlan;
console.log(`Node ${process.version.slice(1)}, ${cpus().length} × ${cpus()[0]?.model.trim()}\n`);
for (const [name, part] of Object.entries(parts)) {
  if (chosen.length > 0 && !chosen.includes(name)) continue;
  const table = await part(plan);
  progress('');
  console.log(`${toText(table)}\n`);
}
