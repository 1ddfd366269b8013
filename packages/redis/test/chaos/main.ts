// npm run test:chaos [-- minutes] [--seed N] [--limit 1|3] [--only fault] [--scene name]: faults at random, for so many minutes.
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Record } from './log/record.ts';
import { grounds, play } from './scene.ts';

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
const scenes = Object.keys(grounds) as (keyof typeof grounds)[];
const chosen = scenes.filter((scene) => scene.includes(values.scene ?? ''));
const sane = limits.every((limit) => limit === 1 || limit === 3) && Number.isInteger(seed);
if (!(minutes > 0) || !sane || chosen.length === 0) {
  console.error(
    'Usage: npm run test:chaos -- [minutes] [--seed N] [--limit 1|3] [--only fault] [--scene name]',
  );
  process.exit(2);
}

console.log(`seed ${seed}`);
let broken = 0;
for (const ground of chosen) {
  const until = performance.now() + (minutes * 60_000) / chosen.length;
  await play({
    ground,
    seed,
    limits,
    only: values.only,
    calm: 2_000,
    // From one thing after the other to all at once.
    weather: (dice) => ({ lasts: 12_000, pace: dice.between(200, 1_500) }),
    more: () => performance.now() < until,
    tell: (report) => {
      broken += report.broken.length;
      console.log(report.text);
      if (report.broken.length > 0) keep(report.record, ground);
    },
  });
}
console.log(broken === 0 ? 'every invariant held' : `broken; once more with --seed ${seed}`);
process.exitCode = broken === 0 ? 0 : 1;

/** The whole log of a round that broke an invariant. */
function keep(record: Record, ground: string): void {
  const file = join(tmpdir(), `headgate-chaos-${ground}-${seed}-${Date.now()}.jsonl`);
  writeFileSync(file, record.toString());
  console.log(`  the log: ${file}`);
}
