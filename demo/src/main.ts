import { mkdir, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { stop } from './child.ts';
import { compare } from './compare.ts';
import { page } from './page.ts';
import { fullPlan, quickPlan } from './plan.ts';
import { rowsOf } from './rows.ts';
import { table } from './table.ts';
import { tryIt } from './try-it.ts';
import { judge } from './verdict.ts';

const pagePath = fileURLToPath(new URL('../out/report.html', import.meta.url));
const environment = `Node ${process.version}, ${availableParallelism()} cores`;

try {
  const { values: options } = parseArgs({
    options: { quick: { type: 'boolean' }, serve: { type: 'boolean' } },
  });
  const { comparison, server } = await compare(options.quick ? quickPlan : fullPlan);
  const verdict = judge(comparison);
  console.log(`\n${table(rowsOf(comparison))}\n\n  ${verdict.headline}`);
  for (const remark of verdict.remarks) console.log(`  ${remark}`);

  await mkdir(dirname(pagePath), { recursive: true });
  await writeFile(pagePath, page(comparison, verdict, environment));
  console.log(`\n  The two curves side by side: ${pagePath}\n`);

  process.exitCode = verdict.sound ? 0 : 1;
  if (options.serve) console.log(tryIt(server.port));
  else await stop(server.process);
} catch (error) {
  console.error(`\nThe demo itself broke: ${error instanceof Error ? error.message : error}`);
  process.exit(1);
}
