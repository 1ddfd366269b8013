// npm run simulate -- ablate [words] [--seeds 1] [--count 10]: what the default limit and `adaptive()` lose without each of
// their mechanisms, or without those whose name contains one of the words. --write also writes docs/lab/simulations.md.
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { runnerImport } from 'vite';
import { writeText } from '../pages.ts';
import { adaptiveMechanisms } from './adaptive-mechanisms.ts';
import { type Mechanism, mechanisms } from './mechanisms.ts';
import type { Score } from './score.ts';
import { rowOf, tableOf } from './table.ts';

const { values: options, positionals: words } = parseArgs({
  allowPositionals: true,
  options: {
    seeds: { type: 'string', default: '1' },
    count: { type: 'string', default: '10' },
    write: { type: 'boolean', default: false },
  },
});

const root = resolve(import.meta.dirname, '../../../..');
const seeds = options.seeds.split(',').map(Number);

type ScoreOf = (code: typeof import('./score.ts')) => Score;

/** Runs the simulations with the unchanged code or, if a mechanism is given, without that mechanism. */
async function scoreWithout(scoreOf: ScoreOf, mechanism?: Mechanism): Promise<Score> {
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
  return scoreOf(module);
}

if (options.write && words.length > 0) throw new Error('--write needs all mechanisms');

async function compareWithout(block: string, all: readonly Mechanism[], scoreOf: ScoreOf) {
  const chosen = all.filter(
    ({ name }) => words.length === 0 || words.some((word) => name.includes(word)),
  );
  const whole = await scoreWithout(scoreOf);
  const rows: string[][] = [];
  for (const mechanism of chosen) {
    const row = rowOf(mechanism.name, whole, await scoreWithout(scoreOf, mechanism));
    console.error(row.join('  '));
    rows.push(row);
  }
  console.log(`\n${tableOf(rows)}`);
  if (options.write) writeText('lab/simulations.md', block, tableOf(rows));
}

await compareWithout('ablation', mechanisms, ({ scoreDefaultLimit }) =>
  scoreDefaultLimit(seeds, Number(options.count)),
);
await compareWithout('ablation-adaptive', adaptiveMechanisms, ({ scoreAdaptive }) =>
  scoreAdaptive(),
);
