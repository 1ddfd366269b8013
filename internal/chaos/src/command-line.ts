import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Subject } from './ground.ts';
import type { Record } from './log/record.ts';
import { play } from './scene.ts';

const usage = '[minutes] [--seed N] [--limit 1|3] [--only fault] [--scene name]';

interface Arguments {
  readonly minutes: number;
  readonly seed: number;
  readonly limits: readonly number[];
  readonly only: string | undefined;
  readonly scenes: readonly string[];
}

/** Runs rounds of random faults for the number of minutes given on the command line. */
export async function run(subject: Subject): Promise<void> {
  const chosen = read(subject);
  if (chosen === undefined) {
    console.error(`Usage: npm run <script> -- ${usage}`);
    process.exitCode = 2;
    return;
  }
  const { minutes, seed, limits, only, scenes } = chosen;
  console.log(`seed ${seed}`);
  let broken = 0;
  for (const ground of scenes) {
    const until = performance.now() + (minutes * 60_000) / scenes.length;
    await play({
      ...{ subject, ground, seed, limits, only },
      calm: 2_000,
      weather: (rng) => ({
        lasts: 12_000,
        // From mostly sequential faults to all faults at once.
        pace: rng.between(200, 1_500),
        // From a long queue to a queue that is sometimes empty.
        pause: rng.pick([40, 2 * subject.lease, 4 * subject.lease]) ?? 40,
        gust: true,
      }),
      more: () => performance.now() < until,
      tell: (report) => {
        broken += report.broken.length;
        console.log(report.text);
        if (report.broken.length > 0) keep(report.record, `${ground}-${seed}`);
      },
    });
  }
  console.log(broken === 0 ? 'every invariant holds' : `violated; repeat with --seed ${seed}`);
  process.exitCode = broken === 0 ? 0 : 1;
}

function read({ grounds }: Subject): Arguments | undefined {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      seed: { type: 'string' },
      limit: { type: 'string' },
      only: { type: 'string' },
      scene: { type: 'string' },
    },
  });
  const minutes = Number(positionals[0] ?? 5);
  const seed = Number(values.seed ?? Math.floor(Math.random() * 1e6));
  const limits = values.limit === undefined ? [1, 3] : [Number(values.limit)];
  const scenes = Object.keys(grounds).filter((scene) => scene.includes(values.scene ?? ''));
  const sane = limits.every((limit) => limit === 1 || limit === 3) && Number.isInteger(seed);
  if (!(minutes > 0) || !sane || scenes.length === 0) return undefined;
  return { minutes, seed, limits, only: values.only, scenes };
}

/** The whole log of a round that violated an invariant. */
function keep(record: Record, name: string): void {
  const file = join(tmpdir(), `headgate-chaos-${name}-${Date.now()}.jsonl`);
  writeFileSync(file, record.toString());
  console.log(`  the log: ${file}`);
}
