// npm run simulate -- grid [sync timer]: the default limit under all workloads, or those of some kinds of handlers. It
// takes an hour and more, can be interrupted and resumed, and several can run at once. Results are added to
// out/grid.jsonl; delete it before a new version is measured. --page writes docs/lab/overload-simulated.md from them.
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { add, cellOf, kept } from './cells.ts';
import { gridPage } from './grid-page.ts';
import { allWorkloads, isPossible, kinds } from './named-workload.ts';

const { values: options, positionals: words } = parseArgs({
  allowPositionals: true,
  options: { page: { type: 'boolean', default: false } },
});

const unknown = words.find((word) => !kinds.some((kind) => kind === word));
if (unknown !== undefined) throw new Error(`${unknown} is none of ${kinds.join(', ')}`);

if (options.page) {
  const page = resolve(import.meta.dirname, '../../../../docs/lab/overload-simulated.md');
  writeFileSync(page, gridPage(kept('grid'), kept('random')));
} else {
  const known = new Set(kept('grid').map(({ name }) => name));
  const chosen = kinds.filter((kind) => words.length === 0 || words.includes(kind));
  const open = chosen
    .flatMap(allWorkloads)
    .filter((workload) => isPossible(workload) && !known.has(workload.name));
  for (const [index, workload] of open.entries()) {
    add('grid', cellOf(workload));
    console.log(`${index + 1} of ${open.length}: ${workload.name}`);
  }
}
