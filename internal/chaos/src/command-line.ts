import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { StoreUnderTest } from './environment.ts';
import type { EventLog } from './log/event-log.ts';
import { limits as all } from './operated-limit.ts';
import { runRounds } from './run-rounds.ts';

const usage = '[minutes] [--seed N] [--limit 1|2|3] [--only fault] [--environment name]';

interface Arguments {
  readonly minutes: number;
  readonly seed: number;
  readonly limits: readonly number[];
  readonly only: string | undefined;
  readonly environments: readonly string[];
}

/** Runs rounds of random faults for the number of minutes given on the command line. */
export async function run(storeUnderTest: StoreUnderTest): Promise<void> {
  const chosen = read(storeUnderTest);
  if (chosen === undefined) {
    console.error(`Usage: npm run chaos -- <store> ${usage}`);
    process.exitCode = 2;
    return;
  }
  const { minutes, seed, limits, only, environments } = chosen;
  console.log(`seed ${seed}`);
  let broken = 0;
  for (const environment of environments) {
    const until = performance.now() + (minutes * 60_000) / environments.length;
    await runRounds({
      storeUnderTest,
      environment,
      seed,
      limits,
      only,
      calm: 2_000,
      schedule: (rng) => ({
        duration: 12_000,
        // A short interval makes faults overlap; a long one makes them mostly sequential.
        meanInterval: rng.between(200, 1_500),
        // A short pause keeps the queue long; with a long one, it is sometimes empty.
        pause: rng.pick([40, 2 * storeUnderTest.lease, 4 * storeUnderTest.lease]) ?? 40,
        startsWithOne: true,
      }),
      more: () => performance.now() < until,
      onReport: (report) => {
        broken += report.broken.length;
        console.log(report.text);
        if (report.broken.length > 0) keep(report.eventLog, `${environment}-${seed}`);
      },
    });
  }
  console.log(broken === 0 ? 'every invariant holds' : `violated; repeat with --seed ${seed}`);
  process.exitCode = broken === 0 ? 0 : 1;
}

function read(storeUnderTest: StoreUnderTest): Arguments | undefined {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      seed: { type: 'string' },
      limit: { type: 'string' },
      only: { type: 'string' },
      environment: { type: 'string' },
    },
  });
  const minutes = Number(positionals[0] ?? 5);
  const seed = Number(values.seed ?? Math.floor(Math.random() * 1e6));
  const limits = values.limit === undefined ? all : [Number(values.limit)];
  const environments = Object.keys(storeUnderTest.environments).filter((name) =>
    name.includes(values.environment ?? ''),
  );
  const sane = limits.every((limit) => all.includes(limit)) && Number.isInteger(seed);
  if (!(minutes > 0) || !sane || environments.length === 0) return undefined;
  return { minutes, seed, limits, only: values.only, environments };
}

/** The whole log of a round that violated an invariant. */
function keep(eventLog: EventLog, name: string): void {
  const file = join(tmpdir(), `headgate-chaos-${name}-${Date.now()}.jsonl`);
  writeFileSync(file, eventLog.toString());
  console.log(`  the log: ${file}`);
}
