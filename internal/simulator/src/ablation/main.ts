// npm run simulate -- ablate [words] [--seeds 1,2] [--count 40]: what the default limit loses without each of its
// mechanisms, or without those whose name contains one of the words. --write also writes the table of docs/lab/simulations.md.
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { runnerImport } from 'vite';
import { writeText } from '../pages.ts';
import { type Mechanism, mechanisms } from './mechanisms.ts';
import type { Score } from './score.ts';
import { rowOf, tableOf } from './table.ts';

const { values: options, positionals: words } = parseArgs({
  allowPositionals: true,
  options: {
    seeds: { type: 'string', default: '1,2' },
    count: { type: 'string', default: '40' },
    write: { type: 'boolean', default: false },
  },
});

const root = resolve(import.meta.dirname, '../../../..');
const seeds = options.seeds.split(',').map(Number);

/** Runs the workloads with the unchanged code or, if a mechanism is given, without that mechanism. */
async function scoreWithout(mechanism?: Mechanism): Promise<Score> {
  const plugin = {
    name: 'ablation',
    enforce: 'pre' as const,
    transform: (code: string, id: string) =>
      mechanism && id.endsWith(`packages/core/src/${mechanism.file}`)
        ? code.replace(mechanism.on, mechanism.off)
        : undefined,
  };
  // An alias to the source, so that Vite transforms the core. Without it, Vite would make Node load the package.
  const alias = { '@headgate/core': resolve(root, 'packages/core/src/index.ts') };
  const { module } = await runnerImport<typeof import('./score.ts')>(
    resolve(import.meta.dirname, 'score.ts'),
    { root, configFile: false, logLevel: 'error', plugins: [plugin], resolve: { alias } },
  );
  return module.score(seeds, Number(options.count));
}

if (options.write && words.length > 0) throw new Error('--write needs all mechanisms');
const chosen = mechanisms.filter(
  ({ name }) => words.length === 0 || words.some((word) => name.includes(word)),
);
const whole = await scoreWithout();
const rows: string[][] = [];
for (const mechanism of chosen) {
  const row = rowOf(mechanism.name, whole, await scoreWithout(mechanism));
  console.error(row.join('  '));
  rows.push(row);
}
console.log(`\n${tableOf(rows)}`);
if (options.write) writeText('lab/simulations.md', 'ablation', tableOf(rows));
