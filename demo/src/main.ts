import { mkdir, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stop } from './child.ts';
import { compare } from './compare.ts';
import type { Comparison } from './comparison.ts';
import { optionsFrom, usage } from './options.ts';
import { page } from './page.ts';
import { fullPlan, quickPlan } from './plan.ts';
import { rowsOf } from './rows.ts';
import { table } from './table.ts';
import { tryIt } from './try-it.ts';
import { judge, type Verdict } from './verdict.ts';

const pagePath = fileURLToPath(new URL('../out/report.html', import.meta.url));
const environment = `Node ${process.version}, ${availableParallelism()} cores`;

async function run({ quick, serve }: { quick: boolean; serve: boolean }): Promise<void> {
  const { comparison, server } = await compare(quick ? quickPlan : fullPlan);
  const verdict = judge(comparison);
  if (verdict.isConclusive) console.log(`\n${table(rowsOf(comparison))}`);
  console.log(`\n  ${verdict.headline}`);
  for (const remark of verdict.remarks) console.log(`  ${remark}`);
  if (verdict.isConclusive) await writePage(comparison, verdict);

  process.exitCode = verdict.sound ? 0 : 1;
  if (serve) console.log(tryIt(server.port));
  else await stop(server.process);
}

async function writePage(comparison: Comparison, verdict: Verdict): Promise<void> {
  await mkdir(dirname(pagePath), { recursive: true });
  await writeFile(pagePath, page(comparison, verdict, environment));
  console.log(`\n  The two curves side by side: ${pagePath}\n`);
}

const options = optionsFrom(process.argv.slice(2));
if ('problem' in options) {
  console.error(`${options.problem}\n\n${usage}`);
  process.exitCode = 2;
} else if (options.help) {
  console.log(usage);
} else {
  try {
    await run(options);
  } catch (error) {
    console.error(`\nThe demo itself broke: ${error instanceof Error ? error.message : error}`);
    process.exit(1);
  }
}
